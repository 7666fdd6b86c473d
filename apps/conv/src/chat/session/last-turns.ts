import type { Conversation } from '@conv/core';
import { isEvent } from '@conv/core/events';

/** Messages of the user that are shown again when a conversation comes back. */
const TURNS = 3;
/** Events that are looked at, and shown at most. */
const MOST = 60;

/** Returns the number of the event from which a conversation that comes back is shown: the start of its last turns. */
export async function lastTurns({ events }: Pick<Conversation, 'events'>): Promise<number> {
  const start = Math.max(0, events.length - MOST);
  const last = await events.slice(start);
  const turns = last.flatMap((event, at) => (isEvent(event, 'MessageEvent') && event.source === 'user' ? [at] : []));
  const first = turns.at(-TURNS) ?? turns[0];
  if (first !== undefined) return start + first;
  return start === 0 ? 0 : start;
}
