import { type Event, isEvent, type MessageToolCall } from '@conv/core/events';
import { callIds } from '@conv/openhands/messages';

/** The ids of calls and responses that a history has used. */
export interface UsedIds {
  readonly calls: ReadonlySet<string>;
  readonly responses: ReadonlySet<string>;
}

/** Collects the ids in a view. */
export function usedIds(view: readonly Event[]): UsedIds {
  const actions = view.filter((event) => isEvent(event, 'ActionEvent'));
  return {
    calls: new Set(actions.map((event) => callIds.splitCallId(event.tool_call_id).id)),
    responses: new Set(view.flatMap((event) => responseIdOf(event) || [])),
  };
}

/** Returns the id of the response that an event is from; `undefined` if it is from none. */
export function responseIdOf(event: Event): string | undefined {
  if (isEvent(event, 'ActionEvent')) return event.llm_response_id;
  return isEvent(event, 'MessageEvent') ? (event.llm_response_id ?? undefined) : undefined;
}

/** Returns `id`, with a number appended if it is taken, because some servers give every answer the same id. */
export function uniqueId(id: string, taken: ReadonlySet<string>): string {
  let candidate = id;
  for (let number = 2; taken.has(candidate); number += 1) candidate = `${id}_${number}`;
  return candidate;
}

/** Returns the calls with unique ids, because results refer to their call only by id. */
export function withUniqueIds(calls: readonly MessageToolCall[], taken: ReadonlySet<string>): MessageToolCall[] {
  const used = new Set(taken);
  return calls.map((call) => {
    const { id, signature } = callIds.splitCallId(call.id);
    const unique = uniqueId(id === '' ? 'call_1' : id, used);
    used.add(unique);
    return { ...call, id: callIds.storedCallId(unique, signature) };
  });
}
