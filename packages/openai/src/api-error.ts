import { isConversationError } from '@conv/core';
import { refusalStatus } from '@conv/turns';

/** Clients repeat some refused requests by themselves, and a repeated request could begin another conversation. */
export const NO_RETRY: Readonly<Record<string, string>> = { 'x-should-retry': 'false' };

const TYPES: Readonly<Record<number, string>> = { 403: 'permission_error', 404: 'not_found_error' };

/** A refusal in OpenAI's shape. */
export class ApiError extends Error {
  readonly status: number;
  /** The member of the request that is wrong. */
  readonly param: string | null;

  constructor(status: number, message: string, param: string | null = null) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.param = param;
  }
}

/** Returns the answer to a request that failed. Throws errors that are no refusals. */
export function refusal(error: unknown): Response {
  if (error instanceof ApiError) return answer(error.status, error.message, error.param, null);
  if (!isConversationError(error)) throw error;
  const { code, message } = error;
  // the place of a store is for the host alone
  const told = code === 'NOT_FOUND' ? 'expected the id of a conversation of this server, found another one' : message;
  return answer(refusalStatus(error), told, null, code);
}

function answer(status: number, message: string, param: string | null, code: string | null): Response {
  const type = TYPES[status] ?? 'invalid_request_error';
  return Response.json({ error: { message, type, param, code } }, { status, headers: NO_RETRY });
}
