/** The difference between a client and the log, in lines. */
export interface Difference {
  readonly missing: number;
  /** Lines that are shown more often than they are in the log, also such as never were there. */
  readonly duplicated: number;
  readonly misordered: number;
}

/** Compares the lines that a client shows with those of the log. */
export function compare(shown: readonly string[], log: readonly string[]): Difference {
  const places = new Map<string, number[]>();
  for (const [place, line] of log.entries()) places.set(line, [...(places.get(line) ?? []), place]);
  let [duplicated, misordered, last, found] = [0, 0, -1, 0];
  for (const line of shown) {
    const place = places.get(line)?.shift();
    if (place === undefined) duplicated++;
    else {
      found++;
      if (place < last) misordered++;
      last = Math.max(last, place);
    }
  }
  return { missing: log.length - found, duplicated, misordered };
}
