/** Runs whose least cost counts: the others were disturbed. */
const RUNS = 3;

/** Microseconds of processor time that a figure needs. */
const ENOUGH = 30_000;

/**
 * Compares the processor time of work on `times` as much with that of work on one part, both in this run, so that neither the speed of
 * the machine nor its load counts. Work in one pass grows by `times`, nested passes by its square.
 *
 * @param run - works on so many parts, the same ones each time that it is called
 */
export function costGrowth(run: (parts: number) => unknown, times: number): number {
  return costOf(() => run(times)) / costOf(() => run(1));
}

/** The processor time that one call takes, in microseconds: of so many calls that the clock, which ticks in milliseconds, can tell. */
function costOf(run: () => unknown): number {
  const costs = Array.from({ length: RUNS }, () => {
    const before = process.cpuUsage();
    for (let calls = 1; ; calls++) {
      run();
      const { user, system } = process.cpuUsage(before);
      if (user + system >= ENOUGH) return (user + system) / calls;
    }
  });
  return Math.min(...costs);
}
