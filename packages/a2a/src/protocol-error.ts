import {
  A2A_ERROR_CODE,
  A2AError,
  JsonRpcTransportError,
  RequestMalformedError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import { isConversationError } from '@conv/core';

const REFUSALS: Readonly<Record<string, new (message: string) => A2AError>> = {
  INVALID_INPUT: RequestMalformedError,
  EVENT_TOO_LARGE: RequestMalformedError,
  UNKNOWN_ACTION: RequestMalformedError,
  UNSUPPORTED: UnsupportedOperationError,
};

/** Returns an error of the protocol. Errors that are no refusals are reported, and their text stays here. */
export function protocolError(error: unknown, onError?: (error: unknown) => void): A2AError {
  if (error instanceof A2AError) return error;
  if (!isConversationError(error)) {
    onError?.(error);
    return new A2AError('the request failed; the agent has the reason');
  }
  const { code, message } = error;
  // the place of a store is for the host alone
  if (code === 'NOT_FOUND')
    return new TaskNotFoundError('expected the id of a task or of a context of this agent, found another one');
  // answered with status 403
  if (code === 'DENIED') {
    const denied = { code: A2A_ERROR_CODE.INVALID_REQUEST, message };
    return new JsonRpcTransportError({ jsonrpc: '2.0', id: null, error: denied });
  }
  const Known = REFUSALS[code];
  return Known ? new Known(message) : new A2AError(`${code}: ${message}`);
}

/** True for an answer to a sender without the right. */
export function isDenied({ error }: { readonly error?: unknown }): boolean {
  return (Object(error) as { readonly code?: unknown }).code === A2A_ERROR_CODE.INVALID_REQUEST;
}
