import { TaskNotFoundError } from '@a2a-js/sdk/errors';
import { messageEventId } from '@conv/turns';

/** The place of a task: its conversation, and the message that it answers. */
export type TaskPlace = Readonly<Record<'conversation' | 'event', string>>;

const UUID = '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}';
const TASK = new RegExp(`^(${UUID})_(${UUID})$`);

/** Returns the id of a task. The log has everything else of it. */
export function taskId({ conversation, event }: TaskPlace): string {
  return `${conversation}_${event}`;
}

/** Returns the place of a task. Throws `TaskNotFoundError` for another id. */
export function placeOf(id: string): TaskPlace {
  const [, conversation, event] = TASK.exec(id) ?? [];
  if (conversation !== undefined && event !== undefined) return { conversation, event };
  throw new TaskNotFoundError(`expected the id of a task of this agent, found ${JSON.stringify(id)}`);
}

/** Resolves with the id of the conversation that a message begins; `undefined` if the message's id is no UUID. */
export async function contextIdOf(messageId: string): Promise<string | undefined> {
  return new RegExp(`^${UUID}$`).test(messageId) ? messageEventId('context', `message ${messageId}`) : undefined;
}
