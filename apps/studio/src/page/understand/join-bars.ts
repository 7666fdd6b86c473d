/** A bar of a chart. */
export interface Bar {
  readonly label: string;
  /** The parts of the bar, from below; each has its place in the chart. */
  readonly values: readonly number[];
}

/** Puts neighbouring bars together until there are few enough; their values are added. */
export function joinBars(bars: readonly Bar[], most: number): readonly Bar[] {
  const size = Math.ceil(bars.length / most);
  if (size <= 1) return bars;
  const joined: Bar[] = [];
  for (let from = 0; from < bars.length; from += size) {
    const group = bars.slice(from, from + size);
    const [first, last] = [group[0], group.at(-1)];
    if (!first || !last) continue;
    const values = first.values.map((_, part) => sum(group.map((bar) => bar.values[part] ?? 0)));
    joined.push({ label: first === last ? first.label : `${first.label} – ${last.label}`, values });
  }
  return joined;
}

/** Returns the sum of numbers. */
export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
