/** The longest time that a timer of this platform keeps; beyond it they fire at once. */
const LONGEST = 2 ** 31 - 1;

/** Seconds as whole milliseconds that a timer can keep. */
export function milliseconds(seconds: number): number {
  return Math.max(1, Math.min(Math.round(seconds * 1000), LONGEST));
}
