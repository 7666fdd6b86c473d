/** Formats numbers for people. */
export const amounts = { dollars, duration, count, of, short };

// toLocaleString makes a formatter at each call, which takes as long as drawing the number
const NUMBERS = new Intl.NumberFormat('en-US');
const CENTS = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Formats US dollars: `$0.0012`, `$0.034`, `$1.20`, `$1,234.50`. */
function dollars(cost: number): string {
  if (cost === 0) return '$0';
  if (cost > 0 && cost < 0.00005) return '<$0.0001';
  if (cost >= 999.995) return `$${CENTS.format(cost)}`;
  return `$${cost.toFixed(cost >= 0.995 ? 2 : cost >= 0.00995 ? 3 : 4)}`;
}

/** Formats milliseconds: `12 ms`, `3.4 s`, `2 min 5 s`, `1 h 4 min`. */
function duration(milliseconds: number): string {
  if (milliseconds < 1) return '<1 ms';
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${(milliseconds / 1000).toFixed(milliseconds < 9_950 ? 1 : 0)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Formats a whole number: `1,200`. */
function count(number: number): string {
  return NUMBERS.format(number);
}

/** Formats a number of things: `1 event`, `1,200 events`. */
function of(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/** Formats a large number: `950`, `1.2k`, `3.4M`. */
function short(number: number): string {
  if (number < 1000) return String(Math.round(number));
  const [value, unit] = number < 999_500 ? [number / 1000, 'k'] : [number / 1_000_000, 'M'];
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)}${unit}`;
}
