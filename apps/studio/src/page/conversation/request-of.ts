import type { ConversationHistory, EventsList } from '@conv/core';
import type { Event } from '@conv/core/events';
import type { CallRecord } from '@conv/core/store';

/** The request of the model that an event came from. */
export interface ModelRequest {
  /** Cost, tokens and latency of the calls of models in the event's commit; empty where there are none. */
  readonly records: readonly CallRecord[];
  /** The number of the last event that the request held; `undefined` for an event that no model wrote. */
  readonly seen: number | undefined;
}

/** Resolves with the request of the model that an event came from. Rejects `UNSUPPORTED` where the server gives no commits. */
export async function requestOf(
  source: { readonly history: Pick<ConversationHistory, 'at'>; readonly events: Pick<EventsList, 'indexOf'> },
  index: number,
  event: Event,
): Promise<ModelRequest> {
  const { commit } = await source.history.at({ event: index });
  const records = commit?.records ?? [];
  if (event.source !== 'agent') return { records, seen: undefined };
  // an answer may be several calls, each of which follows the one before; the request stands before the first of them
  const response = responseOf(event);
  const first =
    response === undefined ? event : (commit?.events.find((other) => responseOf(other) === response) ?? event);
  const parent = first.parent_id;
  if (typeof parent !== 'string') return { records, seen: index > 0 ? index - 1 : undefined };
  return { records, seen: await source.events.indexOf(parent) };
}

function responseOf(event: Event): string | undefined {
  return 'llm_response_id' in event && typeof event.llm_response_id === 'string' ? event.llm_response_id : undefined;
}
