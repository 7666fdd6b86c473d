import { ConversationError } from '@conv/core';

import { isEventId } from './message-event-id.ts';

/** The place of a turn: its conversation, and the message that it answers. */
export type TurnPlace = Readonly<Record<'conversation' | 'event', string>>;

/** Returns the place of a turn as one id. The log has everything else of it. */
export function turnId({ conversation, event }: TurnPlace, separator: '.' | '_'): string {
  return `${conversation}${separator}${event}`;
}

/** Returns the place in an id. Throws `NOT_FOUND` for another id. */
export function turnPlace(id: string, separator: '.' | '_'): TurnPlace {
  const [conversation = '', event = '', more] = id.split(separator);
  if (isEventId(conversation) && isEventId(event) && more === undefined) return { conversation, event };
  throw new ConversationError('NOT_FOUND', `expected the id of a task of this server, found ${JSON.stringify(id)}`);
}
