import { ConversationError } from '@conv/core';

import { EngineRefusal } from './engine-client.ts';

/** Returns the error of a conversation for a refusal of the engine, and other errors as they are. */
export function fromEngine(error: unknown): unknown {
  if (!(error instanceof EngineRefusal)) return error;
  if (error.status === 404 && /image/i.test(error.message))
    return new ConversationError(
      'NOT_FOUND',
      `the engine of containers has no such image (${error.message}); build it by \`npm run image\`, or pull it`,
      { cause: error },
    );
  return new ConversationError('SERVER_FAILED', `the engine of containers refused: ${error.message}`, { cause: error });
}
