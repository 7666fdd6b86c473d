/** Kinds of findings, as the result line names them, in its order. */
export const COUNTERS = [
  'missing',
  'duplicated',
  'misordered',
  'executedTwice',
  'contradicted',
  'unfinished',
  'leftBehind',
] as const;

/** One of {@link COUNTERS}. */
export type Counter = (typeof COUNTERS)[number];
