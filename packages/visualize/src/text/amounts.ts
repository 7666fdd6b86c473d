/** Formats a number with its noun: `1 line`, `1,200 lines`. */
export function amount(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

/** Formats a duration: `<1 ms`, `12 ms`, `3.4 s`, `48 s`, `2 min 5 s`, `1 h 4 min`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1) return '<1 ms';
  if (milliseconds < 100) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 9_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Formats a duration as {@link duration} does, in steps of a second. */
export function seconds(milliseconds: number): string {
  const whole = Math.floor(milliseconds / 1000);
  return whole < 60 ? `${whole} s` : duration(whole * 1000);
}

/** Formats US dollars: `$0.0012`, `$0.034`, `$1.20`. */
export function dollars(cost: number): string {
  return `$${cost.toFixed(cost >= 0.995 ? 2 : cost >= 0.00995 ? 3 : 4)}`;
}

/** Formats a number of tokens: `950 tokens`, `1.2k tokens`, `3.4M tokens`. */
export function tokens(count: number): string {
  if (count < 1000) return amount(count, 'token');
  const [value, unit] = count < 999_500 ? [count / 1000, 'k'] : [count / 1_000_000, 'M'];
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)}${unit} tokens`;
}

/**
 * Returns the milliseconds between two event timestamps, or `undefined` if one is invalid or they run backwards. Both
 * are naive local times; reading them as UTC keeps the difference free of the reader's time zone.
 */
export function elapsed(from: string, to: string): number | undefined {
  const difference = Date.parse(`${to}Z`) - Date.parse(`${from}Z`);
  return difference >= 0 ? difference : undefined;
}
