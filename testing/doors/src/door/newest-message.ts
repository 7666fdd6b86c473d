import { isEvent } from '@conv/core/events';

import type { ServerLog } from '../round/server-log.ts';
import { IMAGE } from '../story/story.ts';
import type { Said } from './door.ts';

/** A message of the story, as a client knows it that sent it before. */
export interface KnownMessage extends Said {
  readonly id: string;
  /** True if its image stands before its text, as pages send them. */
  readonly isImageFirst: boolean;
}

/** Resolves with the newest message of the user, for clients that come back with its id alone; `undefined` if there is none. */
export async function newestMessage(log: ServerLog): Promise<KnownMessage | undefined> {
  const events = await log.events();
  // an interruption comes from the user too
  const message = events.findLast(({ event }) => isEvent(event, 'MessageEvent') && event.source === 'user')?.event;
  if (!message) return undefined;
  const said = JSON.stringify(message);
  const text = String(/story \d+, turn \d+/.exec(said)?.[0]);
  // a repetition without the image, or with it at another place, would be another message
  const image = said.indexOf(IMAGE);
  const isImageFirst = image >= 0 && image < said.indexOf(text);
  return { id: message.id, text, isImageFirst, ...(image < 0 ? {} : { image: IMAGE }) };
}
