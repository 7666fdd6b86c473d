/** Limits of a run. */
export interface PeerPlan {
  readonly sizes: readonly number[];
  /** Most samples of one measurement. */
  readonly samples: number;
  /** Milliseconds after which a measurement takes no further sample once it has three. */
  readonly budget: number;
  /** New processes that read each conversation. */
  readonly readers: number;
  /** Milliseconds for all works of one program at one size, in one process. */
  readonly limit: number;
}

export const QUICK: PeerPlan = { sizes: [1, 1000, 10_000], samples: 60, budget: 700, readers: 1, limit: 12_000 };

export const FULL: PeerPlan = { sizes: [1, 1000, 10_000], samples: 1000, budget: 10_000, readers: 7, limit: 120_000 };

export const AT_ONCE = 64;
export const TAIL = 50;
export const WRITES = 50;
