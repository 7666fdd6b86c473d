/** Breakages on purpose; each shows in the counter beside it. */
export const BREAKAGES = {
  /** The server says of some messages that it has them, and has not. */
  forgetful: 'missing',
  /** The server takes a message again whose key it has seen. */
  unkeyed: 'duplicated',
  /** Frames carry the event of the frame behind them. */
  swapping: 'misordered',
  /** The server goes on to say that a run is on. */
  endless: 'stuckRuns',
} as const;

/** Something that is broken on purpose, to show that the harness sees it. */
export type Breakage = keyof typeof BREAKAGES;
