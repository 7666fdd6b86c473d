import { isEvent, isText, type Event, type MessageEvent } from '@conv/core/events';

import type { DeliveryFindings } from './findings.ts';

/** A message that a client sent. */
export interface Sent {
  /** No other message says so. */
  readonly text: string;
  /** The sender. Each sender sends one message after the other. */
  readonly client: string;
  /** The id with which sending resolved; `undefined` when it rejected, and then the message may have arrived or not. */
  readonly id: string | undefined;
}

/** Compares sent messages with the log: an acknowledged message is there once, under its id, in the order of its client. */
export function checkMessages(sent: readonly Sent[], log: readonly Event[], findings: DeliveryFindings): void {
  const places = new Map<string, number[]>();
  for (const [place, event] of log.entries()) {
    const text = sentText(event);
    if (text !== undefined) places.set(text, [...(places.get(text) ?? []), place]);
  }
  const last = new Map<string, number>();
  for (const { text, client, id } of sent) {
    const what = `message ${text.slice(0, 50)} of ${client}`;
    const [first, ...more] = places.get(text) ?? [];
    if (more.length > 0) findings.add('duplicated', `${what} is there ${more.length + 1} times`);
    if (id === undefined) continue;
    if (first === undefined) findings.add('missing', `${what} was acknowledged`);
    else if (log[first]?.id !== id) findings.add('misordered', `${what} was acknowledged as ${id}`);
    else if (first < (last.get(client) ?? 0)) findings.add('misordered', `${what} is before an earlier one`);
    last.set(client, Math.max(first ?? 0, last.get(client) ?? 0));
  }
}

function sentText(event: Event): string | undefined {
  return isEvent(event, 'MessageEvent') && event.source === 'user' ? messageText(event) : undefined;
}

/** Returns the text of a message without its images. */
export function messageText({ llm_message: { content } }: MessageEvent): string {
  return Array.isArray(content) ? content.map((part) => (isText(part) ? part.text : '')).join('') : '';
}
