import {
  type ActionEvent,
  type ContentPart,
  eventGuards,
  type Event,
  isEvent,
  type LlmConvertibleEvent,
  type ObservationLikeEvent,
} from '@conv/core/events';
import type { LlmMessage } from './llm-message.ts';
import { toLlmMessage } from './to-llm-message.ts';

/** A response's calls together with the results stored between and directly after them. */
interface Batch {
  readonly calls: readonly [ActionEvent, ...ActionEvent[]];
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
  /** The events of the last message if it is a plain user message, and its content once another one was merged into it. */
  let open: { content: ContentPart[] | undefined; readonly events: LlmConvertibleEvent[] } | undefined;
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
    const last = messages.at(-1);
    if (plain && open !== undefined && last !== undefined) {
      if (open.content === undefined) {
        open.content = [...last.message.content];
        messages[messages.length - 1] = { ...last, message: { ...last.message, content: open.content } };
      }
      open.content.push(...message.content);
      open.events.push(event);
      continue;
    }
    const events = [event];
    open = plain ? { content: undefined, events } : undefined;
    messages.push({ message, events });
  }
  return messages;
}

function batchAt(events: readonly Event[], start: number): Batch | undefined {
  const first = events[start];
  if (first === undefined || !isEvent(first, 'ActionEvent')) return undefined;
  const calls: [ActionEvent, ...ActionEvent[]] = [first];
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
  return [{ message: callingMessage(calls), events: calls }, ...inOrder(calls, results).map(ofResult)];
}

/** Returns the assistant's message with these calls of one response. */
function callingMessage(calls: Batch['calls']): LlmMessage {
  const [first, ...others] = calls;
  const message = toLlmMessage(first);
  return others.length === 0 ? message : { ...message, tool_calls: calls.map((call) => call.tool_call) };
}

function ofResult(result: ObservationLikeEvent): MessageOfEvents {
  return { message: toLlmMessage(result), events: [result] };
}

/** Returns the results in the order of the calls, and behind them those of no call. */
function inOrder(calls: Batch['calls'], results: Batch['results']): Batch['results'] {
  if (results.length < 2) return results;
  const order = new Map(calls.map((call, index) => [call.tool_call_id, index]));
  const rank = (result: ObservationLikeEvent): number => order.get(result.tool_call_id) ?? calls.length;
  return results.toSorted((a, b) => rank(a) - rank(b));
}

function isPlainUser({ role, tool_calls, tool_call_id, name }: LlmMessage): boolean {
  return role === 'user' && tool_calls === undefined && tool_call_id === undefined && name === undefined;
}
