/** The longest delay of a timer in milliseconds; timers with a longer delay fire at once. */
const LONGEST = 2 ** 31 - 1;

/** Returns seconds as whole milliseconds, at most the longest delay of a timer. */
export function milliseconds(seconds: number): number {
  return Math.max(1, Math.min(Math.round(seconds * 1000), LONGEST));
}
