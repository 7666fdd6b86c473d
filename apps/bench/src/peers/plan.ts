/** Limits of a run. */
export interface PeerPlan {
  readonly sizes: readonly number[];
  /** Most samples of one measurement. */
  readonly samples: number;
  /** Milliseconds after which a measurement takes no further sample once it has three. */
  readonly budget: number;
  /** New processes that read each conversation. */
  readonly readers: number;
  /** Conversations that are listed. */
  readonly listed: number;
  /** Runs at once on an agent server. */
  readonly runs: number;
  /** Events of the conversation that a client of an agent server comes back to. */
  readonly missedOf: number;
  /** Milliseconds for each process, which does one or a few works of one program at one size. */
  readonly limit: number;
}

export const QUICK: PeerPlan = {
  sizes: [1, 10_000],
  samples: 60,
  budget: 500,
  readers: 1,
  listed: 300,
  runs: 20,
  missedOf: 3000,
  limit: 12_000,
};

export const FULL: PeerPlan = {
  sizes: [1, 1000, 10_000, 100_000],
  samples: 1000,
  budget: 10_000,
  readers: 7,
  listed: 10_000,
  runs: 200,
  missedOf: 60_000,
  limit: 60_000,
};

export const AT_ONCE = 64;
export const TAIL = 50;
/** Calls of each run of an agent. */
export const CALLS = 20;
export const WRITES = 50;
