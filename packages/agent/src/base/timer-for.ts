/** Milliseconds. A timer for longer ends at once. */
const LONGEST = 2 ** 31 - 1;

/** Returns the delay for `setTimeout` that stands for a limit in milliseconds, which may be `Infinity`. */
export function timerFor(limit: number): number {
  return Math.min(limit, LONGEST);
}
