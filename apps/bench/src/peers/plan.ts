/** Limits of a run. */
export interface PeerPlan {
  readonly sizes: readonly number[];
  /** Most samples of one measurement. */
  readonly samples: number;
  /** Milliseconds after which a measurement takes no further sample; see `repeat`. */
  readonly budget: number;
  /** Most new processes that read each conversation, and that list all; fewer where their times hardly differ. */
  readonly readers: number;
  /** Conversations that are listed. */
  readonly listed: number;
  /** Runs at once on an agent server. */
  readonly runs: number;
  /** Events of the conversation that a client of an agent server comes back to. */
  readonly missedOf: number;
  /** Milliseconds for each process, which does one or a few works of one program at one size. */
  readonly limit: number;
  /** Milliseconds for a process that fills a conversation, which is no work that is measured. */
  readonly filling: number;
}

export const QUICK: PeerPlan = {
  sizes: [1, 10_000],
  samples: 60,
  budget: 400,
  readers: 1,
  listed: 300,
  runs: 20,
  missedOf: 3000,
  limit: 12_000,
  filling: 30_000,
};

export const FULL: PeerPlan = {
  sizes: [1, 1000, 10_000, 100_000],
  samples: 200,
  budget: 2000,
  readers: 5,
  listed: 10_000,
  runs: 200,
  missedOf: 60_000,
  limit: 60_000,
  filling: 60_000,
};

export const AT_ONCE = 64;
export const TAIL = 50;
/** Calls of each run of an agent. */
export const CALLS = 20;
export const WRITES = 50;
/** Size up to which a work that makes a conversation longer has one of its own. A longer one hardly grows by it. */
export const SHORT = 1000;
/** Programs that are prepared at the same time; nothing that is timed has another beside it. */
export const PREPARED_AT_ONCE = 2;
