import type { CallRecord } from '@conv/core/store';
import type { Histogram, Meter } from '@opentelemetry/api';

import { modelAttributes } from './model-attributes.ts';
import type { CommitObserver, ToolCall, ToolOutcome, WorkingConversation } from './work/commit-observer.ts';

/** The buckets that the conventions advise. */
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864];

/** Metrics of calls of models and of tools, named as the conventions for generative AI name them. */
export class CallMetrics implements CommitObserver {
  readonly #duration: Histogram;
  readonly #tokens: Histogram;

  constructor(meter: Meter) {
    this.#duration = meter.createHistogram('gen_ai.client.operation.duration', {
      unit: 's',
      description: 'Duration of calls of models and of tools.',
      advice: { explicitBucketBoundaries: SECONDS },
    });
    this.#tokens = meter.createHistogram('gen_ai.client.token.usage', {
      unit: '{token}',
      description: 'Tokens of calls of models.',
      advice: { explicitBucketBoundaries: TOKENS },
    });
  }

  modelCalled(_: WorkingConversation, call: CallRecord): void {
    const attributes = { 'gen_ai.operation.name': 'chat', ...modelAttributes(call) };
    this.#duration.record(call.latency, attributes);
    this.#tokens.record(call.promptTokens, { ...attributes, 'gen_ai.token.type': 'input' });
    this.#tokens.record(call.completionTokens, { ...attributes, 'gen_ai.token.type': 'output' });
  }

  toolEnded(_: WorkingConversation, { tool }: ToolCall, outcome: ToolOutcome, seconds: number): void {
    const error = outcome === 'failed' ? { 'error.type': 'tool_error' } : {};
    this.#duration.record(seconds, { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool, ...error });
  }
}
