import { TaskNotFoundError } from '@a2a-js/sdk/errors';
import { isEventId } from '@conv/turns';

/** The place of a task: its conversation, and the message that it answers. */
export type TaskPlace = Readonly<Record<'conversation' | 'event', string>>;

/** Returns the id of a task. The log has everything else of it. */
export function taskId({ conversation, event }: TaskPlace): string {
  return `${conversation}_${event}`;
}

/** Returns the place of a task. Throws `TaskNotFoundError` for another id. */
export function placeOf(id: string): TaskPlace {
  const [conversation = '', event = '', more] = id.split('_');
  if (isEventId(conversation) && isEventId(event) && more === undefined) return { conversation, event };
  throw new TaskNotFoundError(`expected the id of a task of this agent, found ${JSON.stringify(id)}`);
}
