import type { SubscribeOptions, Subscriber, Subscription } from '@conv/core';
import { type Event, parseEvent } from '@conv/core/events';
import { toEventIndex } from '@conv/core/store';
import type { WindowSource } from '../src/page/window/window-source.ts';

/** A log in memory that a window reads: it grows as told, and damage takes events from it. */
export class LogSource implements WindowSource {
  readonly #events: (Event | undefined)[] = [];
  readonly #subscribers = new Set<Subscriber>();
  #delivered: number;

  readonly events: WindowSource['events'] & { readonly length: number };

  /** `answered` resolves when a read may be answered. */
  constructor(events: readonly (Event | undefined)[] = [], answered = async (): Promise<void> => undefined) {
    this.#events.push(...events);
    this.#delivered = events.length;
    const all = this.#events;
    this.events = {
      get length() {
        return all.length;
      },
      at: async (index) => {
        await answered();
        return all[index];
      },
      slice: async (start = 0, end = all.length) => {
        await answered();
        return all.slice(start, end).filter((event) => event !== undefined);
      },
    };
  }

  /** All events with their numbers. */
  get all(): { readonly index: number; readonly event: Event }[] {
    return this.#events.flatMap((event, index) => (event ? [{ index, event }] : []));
  }

  subscribe(subscriber: Subscriber, { signal }: SubscribeOptions = {}): Subscription {
    this.#subscribers.add(subscriber);
    const unsubscribe = (): void => void this.#subscribers.delete(subscriber);
    signal?.addEventListener('abort', unsubscribe);
    const length = (): number => this.#events.length;
    return {
      get position() {
        return toEventIndex(length());
      },
      caughtUp: async () => undefined,
      unsubscribe,
    };
  }

  /** Adds an event, and delivers it; an event that damage took is not delivered. */
  append(event: Event | undefined): void {
    this.write(event);
    this.deliver();
  }

  /** Adds an event that is delivered later, as a client knows the length of a log before its newest events. */
  write(event: Event | undefined): void {
    this.#events.push(event);
  }

  /** Delivers what was written. */
  deliver(): void {
    for (; this.#delivered < this.#events.length; this.#delivered++) {
      const event = this.#events[this.#delivered];
      if (event)
        for (const subscriber of this.#subscribers) void subscriber.onEvent?.(event, toEventIndex(this.#delivered));
    }
  }
}

/** A short form of an event: a message, a call, the result of a call, or an event that damage took. */
export type ShortEvent = 'message' | 'lost' | { readonly call: string } | { readonly result: string };

/** Returns the event at a place of a log. */
export function eventAt(place: number, short: ShortEvent): Event | undefined {
  if (short === 'lost') return undefined;
  const id = `00000000-0000-4000-8000-${String(place).padStart(12, '0')}`;
  const base = { id, timestamp: '2026-11-20T09:00:00.000000' };
  if (short === 'message') {
    const message = { role: 'user', content: [{ text: `message ${place}` }] };
    return parseEvent({ ...base, kind: 'MessageEvent', source: 'user', llm_message: message });
  }
  if ('call' in short) {
    const { call } = short;
    return parseEvent({
      ...base,
      kind: 'ActionEvent',
      source: 'agent',
      thought: [],
      action: { kind: 'TerminalAction', command: `echo ${call}` },
      tool_name: 'terminal',
      tool_call_id: call,
      tool_call: { id: call, name: 'terminal', arguments: '{}', origin: 'completion' },
      llm_response_id: `response-${call}`,
    });
  }
  const content = [{ text: `done ${short.result}` }];
  return parseEvent({
    ...base,
    kind: 'ObservationEvent',
    source: 'environment',
    tool_name: 'terminal',
    tool_call_id: short.result,
    observation: { kind: 'TerminalObservation', command: '', exit_code: 0, content, is_error: false },
    action_id: short.result,
  });
}
