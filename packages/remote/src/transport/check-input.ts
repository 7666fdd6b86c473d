import { checks } from '@conv/core';

/** Returns the milliseconds above 0, or the default; throws `INVALID_INPUT`. */
export function checkTime(name: string, value: number | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  if (typeof value === 'number' && value > 0) return value;
  throw checks.invalid(`${name}: expected a number of milliseconds above 0, found ${JSON.stringify(value)}`);
}
