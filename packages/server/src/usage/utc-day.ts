const DAY = 86_400_000;

/** Returns the UTC day of a time, such as `2026-11-29`. */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** Returns the day before a day. */
export function dayBefore(day: string): string {
  return dayOf(Date.parse(day) - DAY);
}

/** Returns the epoch milliseconds at which a day ends. */
export function endOf(day: string): number {
  return Date.parse(day) + DAY;
}
