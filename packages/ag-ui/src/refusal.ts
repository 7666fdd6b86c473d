import { ConversationError, isConversationError } from '@conv/core';
import { eventStreamResponse, refusalStatus } from '@conv/turns';

import type { AgUiEvent } from './wire.ts';

/** An answer to interrupts that does not fit them. The protocol has it as a run that fails; nothing was decided. */
export class InterruptMismatch extends Error {
  constructor(message: string) {
    super(`${message}; nothing was decided`);
    this.name = 'InterruptMismatch';
  }
}

/** Returns an error that says what is wrong with a request. */
export function malformed(message: string): ConversationError {
  return new ConversationError('INVALID_INPUT', message);
}

/** Returns the answer to a request that was refused: the error event of the protocol. Throws errors that are no refusals. */
export function refusal(error: unknown): Response {
  if (isConversationError(error)) {
    const { code } = error;
    // the place of a store is for the host alone
    const message =
      code === 'NOT_FOUND' ? 'expected the id of a thread of this server, found another one' : error.message;
    return Response.json(errorEvent({ code, message }), { status: refusalStatus(error) });
  }
  if (!(error instanceof InterruptMismatch)) throw error;
  const data = errorEvent({ code: 'INTERRUPT_MISMATCH', message: error.message });
  return eventStreamResponse(async function* () {
    yield { data };
  });
}

/** Returns the answer to a request with a method that means nothing here. */
export function wrongMethod(method: string): Response {
  const message = `expected GET, POST or DELETE, found ${method}`;
  return Response.json(errorEvent({ code: 'METHOD_NOT_ALLOWED', message }), { status: 405 });
}

/** Returns the event that ends a run which failed. */
export function errorEvent({ code, message }: { readonly code: string; readonly message: string }): AgUiEvent {
  return { type: 'RUN_ERROR', message, code };
}
