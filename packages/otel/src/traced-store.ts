import { checkOptionNames, type OptionNames } from '@conv/core';
import type { ConversationStore } from '@conv/core/store';
import type { Meter, Tracer } from '@opentelemetry/api';

import { CallMetrics } from './call-metrics.ts';
import { RunSpans } from './run-spans.ts';
import type { CommitObserver } from './work/commit-observer.ts';
import { watchedStore } from './work/watched-store.ts';

/** Options of {@link tracedStore}. */
export interface TracedStoreOptions {
  /** Makes the spans. Default: none are made. */
  readonly tracer?: Tracer;
  /** Makes the metrics. Default: none are made. */
  readonly meter?: Meter;
  /** True to put what models answer, and the arguments and results of calls, into spans: masked, as the log has them. Default false. */
  readonly content?: boolean;
  /** Receives errors of a tracer or a meter. They harm no conversation. Default: they are dropped. */
  readonly onError?: (error: unknown) => void;
}

const NAMES: OptionNames<TracedStoreOptions> = { tracer: true, meter: true, content: true, onError: true };

/**
 * Returns the store, whose conversations are traced while this process writes them. A run is a span `invoke_agent`, below the caller's
 * context. In it are spans of steps, of calls of models and of calls of tools.
 *
 * @example
 * ```ts
 * import { MemoryStore } from '@conv/core/store';
 * import { tracedStore } from '@conv/otel';
 * import { trace } from '@opentelemetry/api';
 *
 * export const store = tracedStore(new MemoryStore(), { tracer: trace.getTracer('my-app') });
 * ```
 */
export function tracedStore(store: ConversationStore, options: TracedStoreOptions): ConversationStore {
  checkOptionNames('tracedStore', options, NAMES);
  const { tracer, meter, content = false, onError = () => {} } = options;
  let watched = store;
  if (tracer) watched = watchedStore(watched, tracedRuns(new RunSpans(tracer, { content })), onError);
  if (meter) watched = watchedStore(watched, new CallMetrics(meter), onError);
  return watched;
}

/** Begins and ends spans of runs by the status of their conversation. Children of a conversation stand in the call that started them. */
function tracedRuns(spans: RunSpans): CommitObserver {
  return {
    statusChanged: (conversation, status, events) => {
      const { id, parentId } = conversation;
      if (parentId !== null) return;
      spans.statusChanged(conversation, status, events);
      if (status === 'running') spans.started(id);
      else spans.ended(id, { status });
    },
    modelCalled: (...told) => spans.modelCalled(...told),
    toolStarted: (...told) => spans.toolStarted(...told),
    toolEnded: (...told) => spans.toolEnded(...told),
    released: (id) => spans.released(id),
  };
}
