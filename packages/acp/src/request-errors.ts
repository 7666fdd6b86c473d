import { RequestError } from '@agentclientprotocol/sdk';
import { errorText, isConversationError } from '@conv/core';

const MISTAKES: ReadonlySet<string> = new Set(['INVALID_INPUT', 'NOT_FOUND', 'UNSUPPORTED', 'EVENT_TOO_LARGE']);

/** Returns an error as the protocol has it, with the code of the conversation's error in its data. */
export function requestError(error: unknown, sessionId?: string): RequestError {
  if (error instanceof RequestError) return error;
  if (!isConversationError(error)) return RequestError.internalError({}, errorText(error));
  const { code, message } = error;
  if (code === 'NOT_FOUND' && sessionId !== undefined) return RequestError.sessionNotFound(sessionId);
  const data = { code, ...(sessionId === undefined ? {} : { sessionId }) };
  if (MISTAKES.has(code)) return RequestError.invalidParams(data, message);
  return code === 'DENIED' ? RequestError.authRequired(data, message) : RequestError.internalError(data, message);
}
