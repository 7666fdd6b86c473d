import type { AnswerDelta, ToolOutput } from '@conv/core';
import { isObject } from '@conv/core/platform';
import { eventGuards, readEvent, type Event, type JsonObject } from '@conv/core/events';

/** The meaning of a frame of either socket. */
export type SocketMessage =
  /** A stored event with its number. */
  | { readonly kind: 'event'; readonly index: number; readonly event: Event }
  /** An event that is stored now or in a moment, to be read by REST. */
  | { readonly kind: 'announced'; readonly id: string }
  /** The whole state at the time of the frame. */
  | { readonly kind: 'published'; readonly state: JsonObject; readonly at: string }
  /** A change of a field that no log holds. */
  | { readonly kind: 'updated'; readonly update: Event }
  /** An unknown change. */
  | { readonly kind: 'changed' }
  /** An answer begins after this number of events. */
  | { readonly kind: 'begun'; readonly eventId: string; readonly events: number }
  | { readonly kind: 'token'; readonly delta: AnswerDelta }
  | { readonly kind: 'output'; readonly output: ToolOutput }
  | { readonly kind: 'aborted'; readonly eventId: string; readonly reason: 'cancelled' | 'failed' }
  | { readonly kind: 'nothing' };

const NOTHING: SocketMessage = { kind: 'nothing' };
const CHANGED: SocketMessage = { kind: 'changed' };

/** Reads a frame of the session socket. Ignores unknown frames, so that newer servers can send more. */
export function readSessionFrame(frame: unknown): SocketMessage {
  if (!isObject(frame)) return NOTHING;
  const { type, seq, event } = frame;
  if (type === 'durable') {
    const stored = eventOf(event);
    return stored && Number.isInteger(seq) ? { kind: 'event', index: seq as number, event: stored } : CHANGED;
  }
  if (type === 'transient') return publishedBy(event) ?? updatedBy(event) ?? CHANGED;
  if (type === 'item_aborted' && typeof frame['item_id'] === 'string')
    return {
      kind: 'aborted',
      eventId: frame['item_id'],
      reason: frame['reason'] === 'cancelled' ? 'cancelled' : 'failed',
    };
  if (type === 'tool_output') return outputOf(frame);
  if (type === 'item_started') return begunBy(frame);
  return type === 'delta' ? tokenOf(frame) : NOTHING;
}

/** Reads a frame of the events socket. Ignores unknown frames, so that newer servers can send more. */
export function readEventsFrame(frame: unknown): SocketMessage {
  const published = publishedBy(frame);
  if (published) return published;
  const event = eventOf(frame);
  if (!event) return NOTHING;
  if (event.kind === 'StreamingDeltaEvent') return streamed(event as unknown as Record<string, unknown>);
  return eventGuards.isStoredEvent(event) ? { kind: 'announced', id: event.id } : NOTHING;
}

function publishedBy(event: unknown): SocketMessage | undefined {
  if (!isObject(event) || event['kind'] !== 'ConversationStateUpdateEvent' || event['key'] !== 'full_state')
    return undefined;
  const { value, timestamp } = event;
  const at = typeof timestamp === 'string' ? timestamp : '';
  return isObject(value) ? { kind: 'published', state: value as JsonObject, at } : CHANGED;
}

function updatedBy(event: unknown): SocketMessage | undefined {
  const update = eventOf(event);
  return update?.kind === 'ConversationStateUpdateEvent' ? { kind: 'updated', update } : undefined;
}

function begunBy({ item_id: eventId, anchor_seq: anchor }: Record<string, unknown>): SocketMessage {
  return typeof eventId === 'string' && Number.isInteger(anchor)
    ? { kind: 'begun', eventId, events: (anchor as number) + 1 }
    : NOTHING;
}

function tokenOf({ kind, content, attempt, order, item_id }: Record<string, unknown>): SocketMessage {
  if (typeof content !== 'string' || (kind !== 'text' && kind !== 'reasoning')) return NOTHING;
  const number = (value: unknown, fallback: number): number => (typeof value === 'number' ? value : fallback);
  const eventId = typeof item_id === 'string' ? item_id : '';
  return {
    kind: 'token',
    delta: { kind, text: content, attempt: number(attempt, 1), order: number(order, 0), eventId },
  };
}

function outputOf({ tool_call_id: toolCallId, content: text }: Record<string, unknown>): SocketMessage {
  return typeof toolCallId === 'string' && typeof text === 'string'
    ? { kind: 'output', output: { toolCallId, text } }
    : NOTHING;
}

function streamed({ content, reasoning_content }: Record<string, unknown>): SocketMessage {
  if (typeof content === 'string' && content !== '') return tokenOf({ kind: 'text', content });
  return tokenOf({ kind: 'reasoning', content: reasoning_content });
}

function eventOf(value: unknown): Event | undefined {
  try {
    return readEvent(value);
  } catch {
    // a frame is a hint: REST reads the event that it stood for, and its failure is reported there
    return undefined;
  }
}
