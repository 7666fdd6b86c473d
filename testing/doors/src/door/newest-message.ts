import { isEvent } from '@conv/core/events';

import type { ServerLog } from '../round/server-log.ts';

/** A message of the story, as a client knows it that sent it before. */
export interface KnownMessage {
  readonly id: string;
  readonly text: string;
}

/** Resolves with the newest message of the user, for clients that come back with its id alone; `undefined` if there is none. */
export async function newestMessage(log: ServerLog): Promise<KnownMessage | undefined> {
  const events = await log.events();
  // an interruption comes from the user too
  const message = events.findLast(({ event }) => isEvent(event, 'MessageEvent') && event.source === 'user')?.event;
  return message && { id: message.id, text: String(/story \d+, turn \d+/.exec(JSON.stringify(message))?.[0]) };
}
