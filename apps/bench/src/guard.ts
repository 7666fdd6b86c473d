import { median, type Figure } from './figure.ts';

/** Ratio of a figure in the rounds of the last committed run: its middle, and the lowest and the highest one. */
export interface RecordedRatio {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

/** Ratios of the last committed run by the names of their figures. */
export type RecordedRatios = Readonly<Record<string, RecordedRatio>>;

/** A ratio that is worse than the last committed run allows. */
export interface Worse {
  readonly name: string;
  readonly ratio: number;
  /** The worst ratio that the spread of the committed run allows. */
  readonly limit: number;
  readonly recorded: RecordedRatio;
}

/** Least factor between the lowest and the highest ratio: the rounds of a calm machine hardly differ, and another machine does. */
const LEAST_SPREAD = 1.5;
/** Measurements after the first one for a ratio that is worse: what a busy machine disturbed once is not slower. */
const TRIES = 2;

/** Returns the worst ratio that is allowed: as far beyond the worst recorded one as the recorded ones are apart. */
function limitOf({ low, high }: RecordedRatio, isLargerBetter: boolean): number {
  const spread = Math.max(high / low, LEAST_SPREAD);
  return isLargerBetter ? low / spread : high * spread;
}

/** True if a larger ratio is the better one: where the target says so, and without a target for rates. */
function isLargerBetter({ target, unit }: Figure): boolean {
  return target ? target.is === 'at least' : unit === 'per second' || unit === 'MB/s';
}

/** Returns the figures whose ratio is worse than their own spread in the last committed run allows. Figures without a ratio are never. */
export function worseOf(figures: readonly Figure[], recorded: RecordedRatios): readonly Worse[] {
  return figures.flatMap((figure) => {
    const { name, ratio } = figure;
    const known = recorded[name];
    if (ratio === null || !known) return [];
    const limit = limitOf(known, isLargerBetter(figure));
    const isWorse = isLargerBetter(figure) ? ratio < limit : ratio > limit;
    return isWorse ? [{ name, ratio, limit, recorded: known }] : [];
  });
}

/**
 * Measures, and again up to two times while a ratio is worse than the last committed run allows. Resolves with each figure where its ratio
 * was the best.
 */
export async function measureGuarded(
  measure: () => Promise<readonly Figure[]>,
  recorded: RecordedRatios,
): Promise<readonly Figure[]> {
  let figures = await measure();
  for (let left = TRIES; left > 0 && worseOf(figures, recorded).length > 0; left--) {
    const again = await measure();
    figures = figures.map((figure) =>
      better(
        figure,
        again.find(({ name }) => name === figure.name),
      ),
    );
  }
  return figures;
}

function better(one: Figure, other: Figure | undefined): Figure {
  if (!other || one.ratio === null || other.ratio === null) return one;
  const [large, small] = one.ratio > other.ratio ? [one, other] : [other, one];
  return isLargerBetter(one) ? large : small;
}

/** Returns the ratios of some rounds, each with its spread. Ratios that were not measured stay as recorded. Sorted by name. */
export function recordRatios(rounds: readonly (readonly Figure[])[], before: RecordedRatios): RecordedRatios {
  const ratios = new Map<string, number[]>();
  for (const { name, ratio } of rounds.flat())
    if (ratio !== null) ratios.set(name, [...(ratios.get(name) ?? []), ratio]);
  const measured = [...ratios].map(([name, values]): readonly [string, RecordedRatio] => [
    name,
    { ratio: rounded(median(values)), low: rounded(Math.min(...values)), high: rounded(Math.max(...values)) },
  ]);
  const all = new Map([...Object.entries(before), ...measured]);
  return Object.fromEntries([...all].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

const rounded = (ratio: number): number => Number(ratio.toPrecision(3));

/** Returns a line for each ratio that is worse, with what was recorded. */
export function toWorseLines(worse: readonly Worse[]): string {
  return worse
    .map(({ name, ratio, limit, recorded: { ratio: middle, low, high } }) => {
      const [found, allowed] = [rounded(ratio), rounded(limit)];
      return `${name}: expected a ratio of ${allowed} at worst, found ${found}; the last committed run has ${middle} (${low} to ${high})`;
    })
    .join('\n');
}
