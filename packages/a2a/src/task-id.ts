import { TaskNotFoundError } from '@a2a-js/sdk/errors';

/** The place of a task: its conversation, and the message that it answers. */
export interface TaskPlace {
  readonly conversation: string;
  readonly event: string;
}

const UUID = '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}';
const TASK = new RegExp(`^(${UUID})_(${UUID})$`);
const WHOLE = new RegExp(`^${UUID}$`);

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

/** Returns the id of the event of a message: its own id if that is a UUID, else a UUID that follows from it and the conversation. */
export async function eventIdOf(messageId: string, conversation: string): Promise<string> {
  return WHOLE.test(messageId) ? messageId : derivedId(conversation, messageId);
}

/** Returns the id of the conversation that a message begins; `undefined` if the message's id is no UUID. */
export async function contextIdOf(messageId: string): Promise<string | undefined> {
  return WHOLE.test(messageId) ? derivedId('context', messageId) : undefined;
}

async function derivedId(...parts: readonly string[]): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(parts)));
  const hex = Buffer.from(digest).toString('hex');
  // the bits of a UUID of version 8
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
}
