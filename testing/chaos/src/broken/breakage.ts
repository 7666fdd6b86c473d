/** Deliberate defects, each with the counter that must show it. */
export const BREAKAGES = {
  /** The server acknowledges some messages that it does not store. */
  forgetful: 'missing',
  /** The server stores a repeated message with a known key again. */
  unkeyed: 'duplicated',
  /** Frames carry the event of the next frame. */
  swapping: 'misordered',
  /** The server keeps reporting that a run is active. */
  endless: 'stuckRuns',
} as const;

/** A deliberate defect, which shows that the harness detects it. */
export type Breakage = keyof typeof BREAKAGES;
