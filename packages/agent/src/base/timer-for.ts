/** Milliseconds. A timer for longer ends at once. */
const LONGEST = 2 ** 31 - 1;

/** What to hand to `setTimeout` for a limit in milliseconds, which may be `Infinity`. */
export function timerFor(limit: number): number {
  return Math.min(limit, LONGEST);
}
