import { ConversationError } from '../errors/conversation-error.ts';

/** Returns the error of a conversation for options that it cannot take. */
export function invalidOption(message: string, cause?: unknown): ConversationError {
  return new ConversationError('INVALID_INPUT', message, cause === undefined ? undefined : { cause });
}
