import { errorText, isConversationError } from '@conv/core';
import type { LlmMessage } from '@conv/openhands/messages';
import { FRAME_ERROR_CODES, messageFrameSchema } from '@conv/openhands/sockets';

import type { InboundFrame } from './inbound-queue.ts';
import { isAuthFrame } from './socket-auth.ts';

/** The reason that a client's frame was refused, as the client sees it. */
export interface FrameError {
  readonly code: string;
  readonly detail: string;
}

/**
 * Executes a client's frame: `send` receives a message of the user. Resolves with the error of the frame; never rejects. A frame
 * that shows a key is ignored.
 */
export async function takeFrame(
  frame: InboundFrame,
  send: (message: LlmMessage) => Promise<unknown>,
  report: (error: unknown) => void,
): Promise<FrameError | undefined> {
  const read = readFrame(frame);
  if (read === undefined || 'code' in read) return read;
  try {
    await send(read.message);
    return undefined;
  } catch (error) {
    if (isConversationError(error)) return { code: error.code, detail: error.message };
    report(error);
    return { code: 'InternalError', detail: 'The message could not be stored.' };
  }
}

function readFrame(frame: InboundFrame): { readonly message: LlmMessage } | FrameError | undefined {
  if (!('text' in frame)) return { code: FRAME_ERROR_CODES.validation, detail: 'A frame is text.' };
  let value: unknown;
  try {
    value = JSON.parse(frame.text);
  } catch (error) {
    return { code: FRAME_ERROR_CODES.json, detail: errorText(error) };
  }
  if (isAuthFrame(value)) return undefined;
  return readMessage(value);
}

function readMessage(value: unknown): { readonly message: LlmMessage } | FrameError {
  const { data, error } = messageFrameSchema.safeParse(value);
  if (data) return { message: { role: 'user', content: data.content, thinking_blocks: [] } };
  const detail = error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join('.') || 'frame'}: ${message}`)
    .join('; ');
  const isOfAnother = roleOf(value) !== undefined && error.issues.every(({ path }) => path[0] === 'role');
  return { code: isOfAnother ? FRAME_ERROR_CODES.role : FRAME_ERROR_CODES.validation, detail };
}

/** Returns the role of a message that is not the user's; `undefined` for any other frame. */
function roleOf(value: unknown): string | undefined {
  const role = typeof value === 'object' && value !== null && 'role' in value ? value.role : undefined;
  return ROLES.has(role) ? (role as string) : undefined;
}

const ROLES: ReadonlySet<unknown> = new Set(['assistant', 'system', 'tool']);
