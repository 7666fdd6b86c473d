import type { Event } from '@conv/core/events';

import { EventDisplay } from '../show/event-display.ts';
import type { Client, Door, Visit } from './door.ts';
import { EventClient, type Following } from './event-client.ts';
import { ask, pause } from './rest.ts';

/** Server-sent events, as an EventSource follows them: with a ticket for each connection, and the id of the last event. */
export const streamDoor: Door = {
  name: 'stream',
  shows: 'log',
  takesCursor: true,
  edits: true,
  leavesOut: [],
  open: (visit) => opened(visit, true),
};

/** Server-sent events for a client that keeps no cursor: each connection brings the newest turn from its beginning. */
export const streamWithoutCursorDoor: Door = {
  name: 'stream without a cursor',
  shows: 'turn',
  takesCursor: false,
  edits: true,
  leavesOut: [],
  open: (visit) => opened(visit, false),
};

async function opened(visit: Visit, keepsCursor: boolean): Promise<Client> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const client = new EventClient(visit, keepsCursor, (following) => follow(following, keepsCursor, resolve));
  await promise;
  return client;
}

/** Connects until the client is closed. Calls `ready` when a connection has brought all that there was. */
async function follow(following: Following, keepsCursor: boolean, ready: () => void): Promise<void> {
  while (!following.signal.aborted) {
    await connect(following, keepsCursor, ready).catch(() => {});
    following.display.lost();
    await pause();
  }
}

async function connect(following: Following, keepsCursor: boolean, ready: () => void): Promise<void> {
  const { url, id } = following.visit;
  const { body } = await ask(url, { method: 'POST', path: '/api/auth/stream-ticket' });
  const { cursor } = following.display;
  // a client without a cursor shows what the connection brings
  const from = keepsCursor ? `&after=${cursor}` : '';
  const answer = await fetch(`${url}/api/conversations/${id}/stream?ticket=${String(body['ticket'])}${from}`, {
    headers: keepsCursor && cursor >= 0 ? { 'last-event-id': `${cursor}` } : {},
    signal: following.signal,
  });
  if (!answer.ok) return;
  if (!keepsCursor) following.display = new EventDisplay();
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of answer.body ?? []) {
    const frames = `${rest}${decoder.decode(part, { stream: true })}`.split('\n\n');
    rest = frames.pop() as string;
    for (const frame of frames) if (take(frame, following.display) === 'state') ready();
  }
}

/** Shows a frame. Returns the name of its event, if it has one. */
function take(frame: string, display: EventDisplay): string | undefined {
  const fields = new Map(frame.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
  const data = JSON.parse(fields.get('data') ?? '{}') as Readonly<Record<string, never>>;
  const [id, name] = [fields.get('id'), fields.get('event')];
  if (id !== undefined) display.event({ index: Number(id), event: data as unknown as Event });
  if (name === 'item_started') display.begin(data['item_id'] as never);
  if (name === 'delta') display.piece(data['item_id'] as never, data['kind'] as never, data['content'] as never);
  if (name === 'item_aborted') display.withdraw(data['item_id'] as never);
  return name;
}
