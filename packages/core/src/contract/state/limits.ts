/** Limits of runs. Each limit that is reached becomes an event, and the conversation can be run again. */
export interface Limits {
  /** Model responses per run: a positive whole number. Default 500. */
  readonly maxIterations: number;
  /** US dollars per run, above 0; `null`: no limit, the default. Looked at after each step, so that one step may go over it. */
  readonly maxBudgetPerRun: number | null;
  /** US dollars of all runs together, as `maxBudgetPerRun`. */
  readonly maxBudget: number | null;
  /** Milliseconds per call of a tool, above 0; `null`: no limit, the default. */
  readonly toolTimeout: number | null;
}
