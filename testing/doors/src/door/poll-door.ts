import type { Door } from './door.ts';
import { EventClient, type Following } from './event-client.ts';
import { ask, pause } from './rest.ts';

/** Requests that wait for the next events. */
export const pollDoor: Door = {
  name: 'poll',
  shows: 'log',
  takesCursor: true,
  edits: true,
  leavesOut: [],
  open: async (visit) => new EventClient(visit, true, poll),
};

/** Events in one answer at most: few, so that there are many answers to lose. */
const LIMIT = 2;

async function poll({ visit: { url, id }, display, signal }: Following): Promise<void> {
  while (!signal.aborted) {
    const path = `/api/conversations/${id}/events/poll?after=${display.cursor}&limit=${LIMIT}&wait=60`;
    const answer = await ask(url, { method: 'GET', path, signal }).catch(() => undefined);
    const events = answer?.status === 200 ? (answer.body['events'] as { seq: number; event: never }[]) : undefined;
    for (const { seq, event } of events ?? []) display.event({ index: seq, event });
    if (!events) await pause();
  }
}
