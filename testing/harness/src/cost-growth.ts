/** Runs whose least cost counts: the others were disturbed. */
const RUNS = 3;

/**
 * Compares the processor time of work on `times` as much with that of work on one part, both in this run, so that neither the speed of
 * the machine nor its load counts. Work in one pass grows by `times`, nested passes by its square.
 *
 * @param run - works on so many parts, of which one takes a millisecond or more
 */
export function costGrowth(run: (parts: number) => unknown, times: number): number {
  return costOf(() => run(times)) / costOf(() => run(1));
}

/** The processor time of this process in microseconds, at least 1. */
function costOf(run: () => unknown): number {
  const costs = Array.from({ length: RUNS }, () => {
    const before = process.cpuUsage();
    run();
    return process.cpuUsage(before).user;
  });
  return Math.max(1, Math.min(...costs));
}
