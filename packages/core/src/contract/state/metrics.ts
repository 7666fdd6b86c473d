/** The totals over all uses of a model. */
export interface Metrics {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars. */
  readonly totalCost: number;
  readonly llmCallCount: number;
}
