/** Milliseconds in which two changes may carry the same time, on file systems with fine and with coarse times. */
const [FINE, COARSE] = [100, 2000];

/**
 * Returns true if a change after `now` gives a file or folder another time than `modified`. A younger time may stand for two
 * changes, because the clock of a file system goes in steps. Both are epoch milliseconds.
 */
export function isSettled(modified: number, now: number): boolean {
  return now - modified > (modified % 1000 === 0 ? COARSE : FINE);
}
