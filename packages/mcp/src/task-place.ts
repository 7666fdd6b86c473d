import { ConversationError } from '@conv/core';
import { isEventId } from '@conv/turns';

/** The place of a task: its conversation, and the message that it answers. */
export type TaskPlace = Readonly<Record<'conversation' | 'event', string>>;

/** Returns the id of a task, which is its place. The log has everything else of it. */
export function taskAt({ conversation, event }: TaskPlace): string {
  return `${conversation}.${event}`;
}

/** Returns the place of a task. Throws `NOT_FOUND` for another id. */
export function placeOf(task: string): TaskPlace {
  const [conversation = '', event = '', more] = task.split('.');
  if (isEventId(conversation) && isEventId(event) && more === undefined) return { conversation, event };
  throw new ConversationError('NOT_FOUND', `expected the id of a task of this server, found ${JSON.stringify(task)}`);
}
