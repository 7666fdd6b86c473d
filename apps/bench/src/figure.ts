/** A measured number. */
export interface Figure {
  /** Dotted, such as `fs.append.single.10000`; the last part is the size of the conversation where there is one. */
  readonly name: string;
  readonly value: number;
  readonly unit: 'ms' | 'us' | 'bytes' | 'MB' | 'MB/s' | 'x' | 'per event' | 'per second' | 'requests' | 'USD';
  /** The figure of a plain program, in the same unit; `null` where nothing is comparable. */
  readonly baseline: number | null;
  /** `value / baseline`, or the factor of improvement where the target says so. */
  readonly ratio: number | null;
  /** The target of the design; `undefined` for figures that only inform. */
  readonly target?: Target;
}

/** Target of a figure. */
export interface Target {
  readonly of: 'value' | 'ratio';
  readonly is: 'at most' | 'at least';
  readonly limit: number;
}

/** True if a figure reaches its target; `undefined` without a target. */
export function reaches({ value, ratio, target }: Figure): boolean | undefined {
  if (!target) return undefined;
  const measured = target.of === 'value' ? value : ratio;
  if (measured === null) return undefined;
  return target.is === 'at most' ? measured <= target.limit : measured >= target.limit;
}

/** Returns the middle of the values. Throws `RangeError` for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new RangeError('the median of nothing');
  return middle;
}

/** A time beside the time of a plain program. */
export interface Beside {
  readonly name: string;
  /** Milliseconds. */
  readonly value: number;
  /** Milliseconds of the plain program. */
  readonly baseline: number;
  /** Maximum multiple of them. */
  readonly limit: number;
}

/** Returns the figure of a time that may be at most a multiple of its baseline. */
export function timeBeside({ name, value, baseline, limit }: Beside): Figure {
  const target = { of: 'ratio', is: 'at most', limit } as const;
  return { name, value, unit: 'ms', baseline, ratio: value / baseline, target };
}

/** Resolves with the milliseconds that `work` takes. */
export async function time(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
