import type { CallRecord } from '@conv/core/store';
import { Counter, Histogram, type Registry } from 'prom-client';

import type { ToolCall, ToolOutcome, WorkingConversation } from '@conv/otel/work';

import type { WorkObserver } from '../work/work-observer.ts';
import { BoundedLabels } from './bounded-labels.ts';

const SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** Counts runs, calls of models and calls of tools. */
export class WorkMetrics implements WorkObserver {
  readonly #models = new BoundedLabels();
  readonly #tools = new BoundedLabels();
  readonly #runs: Counter<'status'>;
  readonly #modelCalls: Histogram<'model'>;
  readonly #tokens: Counter<'model' | 'type'>;
  readonly #cost: Counter<'model'>;
  readonly #toolCalls: Histogram<'tool' | 'outcome'>;

  constructor(registry: Registry) {
    const registers = [registry];
    const buckets = SECONDS;
    this.#runs = new Counter({
      name: 'conv_runs_ended_total',
      help: 'Ended runs, by the final status of the conversation.',
      labelNames: ['status'],
      registers,
    });
    this.#modelCalls = new Histogram({
      name: 'conv_model_call_duration_seconds',
      help: 'Duration of answered model calls, from the request to the complete answer.',
      labelNames: ['model'],
      buckets,
      registers,
    });
    this.#tokens = new Counter({
      name: 'conv_model_tokens_total',
      help: 'Tokens of answered model calls: prompt (includes cache_read and cache_write) and completion (includes reasoning).',
      labelNames: ['model', 'type'],
      registers,
    });
    this.#cost = new Counter({
      name: 'conv_model_cost_dollars_total',
      help: 'Cost of answered model calls in US dollars, if the price is known.',
      labelNames: ['model'],
      registers,
    });
    this.#toolCalls = new Histogram({
      name: 'conv_tool_call_duration_seconds',
      help: 'Duration of tool calls, from the start to the result.',
      labelNames: ['tool', 'outcome'],
      buckets,
      registers,
    });
  }

  ended(_conversationId: string, { status }: { readonly status: string }): void {
    this.#runs.inc({ status });
  }

  modelCalled(_conversation: WorkingConversation, call: CallRecord): void {
    const model = this.#models.of(call.model);
    this.#modelCalls.observe({ model }, call.latency);
    this.#cost.inc({ model }, call.cost);
    this.#tokens.inc({ model, type: 'prompt' }, call.promptTokens);
    this.#tokens.inc({ model, type: 'completion' }, call.completionTokens);
    this.#tokens.inc({ model, type: 'cache_read' }, call.cacheReadTokens);
    this.#tokens.inc({ model, type: 'cache_write' }, call.cacheWriteTokens);
    this.#tokens.inc({ model, type: 'reasoning' }, call.reasoningTokens);
  }

  toolEnded(_conversation: WorkingConversation, { tool }: ToolCall, outcome: ToolOutcome, seconds: number): void {
    this.#toolCalls.observe({ tool: this.#tools.of(tool), outcome }, seconds);
  }
}
