import { median } from '../figure.ts';

const FEWEST = 3;
/** Multiple of the budget after which fewer than three are enough. */
const PATIENCE = 3;
/** Part of the middle that values may differ by when three of them are enough. */
const TIGHT = 0.1;

/** Limits of a repetition. */
interface Limits {
  readonly most: number;
  /** Milliseconds. */
  readonly budget: number;
  /** Clock in milliseconds. Default: that of this process. */
  readonly now?: () => number;
}

/**
 * Calls `one` up to `most` times while it resolves with true, until the budget is over. Has at least three, unless these take three
 * times the budget, and always one.
 */
export async function repeat(limits: Limits, one: () => Promise<boolean>): Promise<void> {
  const { most, budget, now = () => performance.now() } = limits;
  const start = now();
  const isTime = (done: number): boolean => done < most && now() - start < (done < FEWEST ? budget * PATIENCE : budget);
  for (let done = 1; (await one()) && isTime(done); done++);
}

/** Takes samples within the limits of {@link repeat}. */
export async function sample(most: number, budget: number, one: () => Promise<number>): Promise<readonly number[]> {
  const values: number[] = [];
  await repeat({ most, budget }, async () => {
    values.push(await one());
    return true;
  });
  return values;
}

/** True if there are three values or more, and they differ by so little that more would say the same. */
export function isTight(values: readonly number[]): boolean {
  return values.length >= FEWEST && Math.max(...values) - Math.min(...values) <= TIGHT * median(values);
}

/** True if one call took so long that it stands for itself: it needs no other one before it, to compile. */
export function isLong(milliseconds: number, budget: number): boolean {
  return milliseconds > budget * PATIENCE;
}
