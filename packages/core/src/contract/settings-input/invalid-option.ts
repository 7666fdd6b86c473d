import { ConversationError } from '../errors/conversation-error.ts';

/** Returns the error of a conversation for options that it cannot take. */
export function invalidOption(message: string): ConversationError {
  return new ConversationError('INVALID_INPUT', message);
}
