/** Kinds of findings, as the result line names them. */
export type Counter = 'missing' | 'duplicated' | 'misordered' | 'stuckRuns';

/** All counters, in the order of the result line. */
export const COUNTERS: readonly Counter[] = ['missing', 'duplicated', 'misordered', 'stuckRuns'];
