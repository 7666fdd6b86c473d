import { isConversationError } from '@conv/core';
import { contentParts, messageSchema } from '@conv/core/events';
import type { LlmMessage } from '@conv/core/messages';

import type { InboundFrame } from './inbound-queue.ts';
import { isAuthFrame } from './socket-auth.ts';

/** Why a frame of a client came to nothing, as the client is told. */
export interface FrameError {
  readonly code: string;
  readonly detail: string;
}

/**
 * Does what a frame of a client asks for: a message of the user is handed to `send`. Resolves with what was wrong; never rejects. A
 * frame that shows a key says nothing any more.
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
  if (!('text' in frame)) return { code: 'ValidationError', detail: 'A frame is text.' };
  let value: unknown;
  try {
    value = JSON.parse(frame.text);
  } catch (error) {
    return { code: 'JSONDecodeError', detail: error instanceof Error ? error.message : 'A frame is JSON.' };
  }
  if (isAuthFrame(value)) return undefined;
  return readMessage(value);
}

function readMessage(value: unknown): { readonly message: LlmMessage } | FrameError {
  const parsed = messageSchema.safeParse(value);
  // what else stands in the frame, such as `run`, is for the server and no part of the message
  if (parsed.success && parsed.data.role === 'user')
    return { message: { role: 'user', content: contentParts(parsed.data), thinking_blocks: [] } };
  if (parsed.success)
    return { code: 'AssertionError', detail: `A client sends messages of role user, not ${parsed.data.role}.` };
  const issues = parsed.error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || 'frame'}: ${message}`);
  return { code: 'ValidationError', detail: issues.join('; ') };
}
