import { errorText, isConversationError } from '@conv/core';
import type { LlmMessage } from '@conv/openhands/messages';
import { FRAME_ERROR_CODES, messageFrameSchema } from '@conv/openhands/sockets';

import { LimitReached } from '../usage/limit-reached.ts';
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
    if (error instanceof LimitReached) return { code: error.code, detail: error.message };
    if (isConversationError(error)) return { code: error.code, detail: error.message };
    report(error);
    return { code: 'InternalError', detail: 'The message could not be stored. Read the log before you send it again.' };
  }
}

function readFrame(frame: InboundFrame): { readonly message: LlmMessage } | FrameError | undefined {
  const read = jsonIn(frame, { text: FRAME_ERROR_CODES.validation, json: FRAME_ERROR_CODES.json });
  if (!read || 'code' in read) return read;
  const { value } = read;
  const { data, error } = messageFrameSchema.safeParse(value);
  if (data) return { message: { role: 'user', content: data.content, thinking_blocks: [] } };
  const isOfAnother = roleOf(value) !== undefined && error.issues.every(({ path }) => path[0] === 'role');
  const code = isOfAnother ? FRAME_ERROR_CODES.role : FRAME_ERROR_CODES.validation;
  return { code, detail: issuesText(error.issues.slice(0, 5)) };
}

/** Returns the JSON of a frame; an error for no text or no JSON, and `undefined` for a frame that shows a key. */
export function jsonIn(
  frame: InboundFrame,
  codes: { readonly text: string; readonly json: string },
): { readonly value: unknown } | FrameError | undefined {
  if (!('text' in frame))
    return { code: codes.text, detail: 'Expected a frame of text, found another one; send JSON as text.' };
  try {
    const value: unknown = JSON.parse(frame.text);
    return isAuthFrame(value) ? undefined : { value };
  } catch (error) {
    return { code: codes.json, detail: errorText(error) };
  }
}

/** Returns the issues of a frame that does not fit its schema. */
export function issuesText(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): string {
  return issues.map(({ path, message }) => `${path.join('.') || 'frame'}: ${message}`).join('; ');
}

/** Returns the role of a message that is not the user's; `undefined` for any other frame. */
function roleOf(value: unknown): string | undefined {
  const role = typeof value === 'object' && value !== null && 'role' in value ? value.role : undefined;
  return ROLES.has(role) ? (role as string) : undefined;
}

const ROLES: ReadonlySet<unknown> = new Set(['assistant', 'system', 'tool']);
