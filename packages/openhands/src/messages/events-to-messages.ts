import {
  type ContentPart,
  eventGuards,
  type Event,
  type EventOfKind,
  isEvent,
  type LlmConvertibleEvent,
  type ObservationLikeEvent,
} from '@conv/core/events';
import type { LlmMessage } from './llm-message.ts';
import { toLlmMessage } from './to-llm-message.ts';

/** A response's calls together with the results stored between and directly after them. */
interface Batch {
  readonly calls: readonly EventOfKind<'ActionEvent'>[];
  readonly results: readonly ObservationLikeEvent[];
}

/**
 * The messages that a view's events stand for, by the protocol's rules: the calls of one model response are one assistant
 * message with the first call's thought, and a plain user message directly after another one is merged into it. Events
 * that the model never sees are skipped.
 *
 * Two additions keep every batch valid for providers, which want all results of a message directly after it: they come
 * in the order of the calls, whatever order they were stored in (P5), and a result that was stored between two calls of
 * the same response does not split their message.
 */
export function eventsToMessages(viewEvents: readonly Event[]): LlmMessage[] {
  return messagesWithEvents(viewEvents).map(({ message }) => message);
}

/** A message, and the events that it is made of. */
export interface MessageOfEvents {
  readonly message: LlmMessage;
  readonly events: readonly LlmConvertibleEvent[];
}

/** Returns the messages of {@link eventsToMessages}, each with its events. Takes time in proportion to their number. */
export function messagesWithEvents(viewEvents: readonly Event[]): readonly MessageOfEvents[] {
  const visible = viewEvents.filter(eventGuards.isLlmConvertible);
  const messages: MessageOfEvents[] = [];
  /** The lists of the last message, if it is a plain user message, which the next one may grow. */
  let open: { readonly content: ContentPart[]; readonly events: LlmConvertibleEvent[] } | undefined;
  for (let index = 0; index < visible.length;) {
    const event = visible[index];
    if (event === undefined) break;
    const batch = batchAt(visible, index);
    index += batch === undefined ? 1 : batch.calls.length + batch.results.length;
    if (batch !== undefined) {
      open = undefined;
      messages.push(...batchMessages(batch));
      continue;
    }
    const message = toLlmMessage(event);
    const plain = isPlainUser(message);
    if (plain && open !== undefined) {
      open.content.push(...message.content);
      open.events.push(event);
      continue;
    }
    const lists = { content: [...message.content], events: [event] };
    open = plain ? lists : undefined;
    messages.push({ message: { ...message, content: lists.content }, events: lists.events });
  }
  return messages;
}

function batchAt(events: readonly Event[], start: number): Batch | undefined {
  const first = events[start];
  if (first === undefined || !isEvent(first, 'ActionEvent')) return undefined;
  const calls = [first];
  const results: ObservationLikeEvent[] = [];
  for (let index = start + 1; index < events.length; index += 1) {
    const event = events[index];
    if (event === undefined) break;
    if (eventGuards.isObservationLike(event)) results.push(event);
    else if (isEvent(event, 'ActionEvent') && event.llm_response_id === first.llm_response_id) calls.push(event);
    else break;
  }
  return { calls, results };
}

function batchMessages({ calls, results }: Batch): readonly MessageOfEvents[] {
  const order = new Map(calls.map((call, index) => [call.tool_call_id, index]));
  const rank = (result: ObservationLikeEvent): number => order.get(result.tool_call_id) ?? calls.length;
  const answers = results
    .toSorted((a, b) => rank(a) - rank(b))
    .map((result) => ({ message: toLlmMessage(result), events: [result] }));
  return calls.slice(0, 1).flatMap((first) => {
    const message = { ...toLlmMessage(first), tool_calls: calls.map((call) => call.tool_call) };
    return [{ message, events: calls }, ...answers];
  });
}

function isPlainUser({ role, tool_calls, tool_call_id, name }: LlmMessage): boolean {
  return role === 'user' && tool_calls === undefined && tool_call_id === undefined && name === undefined;
}
