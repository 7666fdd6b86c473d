import { ConversationError } from '@conv/core';

import { EngineRefusal } from './engine-client.ts';

/** The engine's words for a port that another program has taken. */
const PORT_TAKEN = /address already in use|port is already allocated/;

/** The words of Docker and Podman for something mounted that is not there any more. */
const MOUNT_GONE = /no such file or directory|bind source path does not exist|error mounting|not a directory/i;

/** True if the engine did not start a container because another program has taken its port. */
export function isPortTaken(error: unknown): boolean {
  return error instanceof EngineRefusal && PORT_TAKEN.test(error.answer);
}

/** True if the engine did not start a container because something that was mounted is gone. */
export function isMountGone({ answer }: EngineRefusal): boolean {
  return MOUNT_GONE.test(answer);
}

/** Returns the error of a conversation for a refusal of the engine, and other errors as they are. */
export function fromEngine(error: unknown): unknown {
  if (!(error instanceof EngineRefusal)) return error;
  if (error.status === 404 && /image/i.test(error.answer))
    return new ConversationError(
      'NOT_FOUND',
      `the engine of containers has no such image (${error.message}); build it by \`npm run image\`, or pull it`,
      { cause: error },
    );
  return new ConversationError('SERVER_FAILED', `the engine of containers refused: ${error.message}`, { cause: error });
}
