/**
 * Yields milliseconds between tries: 50, doubled each time, at most 1000; each a random time between half of that and the whole.
 */
export function* retryDelays(random: () => number = Math.random): Generator<number, never> {
  for (let longest = 50; ; longest = Math.min(1000, longest * 2)) yield longest * (0.5 + random() / 2);
}
