import { z } from 'zod';
import { messageContentSchema } from '../rest/conversations/send-message.ts';
import { oneOf, requestAs } from '../schema/index.ts';

/** Frame that a client may send on the socket of a conversation. */
export type ConversationClientFrame = AuthFrame | MessageFrame;

/** Time for a client to send its auth frame, in milliseconds. */
export const AUTH_FRAME_TIMEOUT = 10_000;

/** The schema of {@link AuthFrame}. */
export const authFrameSchema = requestAs('AuthFrame', { type: z.literal('auth'), session_api_key: z.string() });

/** The first frame of a client that gave its key neither in the URL nor in a header. Later auth frames are ignored. */
export type AuthFrame = z.output<typeof authFrameSchema>;

/** The schema of {@link MessageFrame}; members such as `run` are ignored. */
export const messageFrameSchema = requestAs('MessageFrame', {
  role: z.literal('user'),
  content: messageContentSchema.default([]),
});

/** A message of the user; the agent runs on it. There is no answer but the message's own event. */
export type MessageFrame = z.output<typeof messageFrameSchema>;

/** The schema of {@link ConversationClientFrame}: a frame with `type: "auth"` is an auth frame, every other frame a message. */
export const conversationClientFrameSchema: z.ZodType<ConversationClientFrame> = oneOf<ConversationClientFrame>({
  by: 'type',
  members: { auth: authFrameSchema },
  absent: () => '',
  other: messageFrameSchema,
});

/** The `code` of a ServerErrorEvent, or of an `error` frame, about a client's frame. */
export const FRAME_ERROR_CODES: {
  /** The frame is not JSON. */
  readonly json: 'JSONDecodeError';
  /** It is not a message. */
  readonly validation: 'ValidationError';
  /** Its role is not `user`. */
  readonly role: 'AssertionError';
} = { json: 'JSONDecodeError', validation: 'ValidationError', role: 'AssertionError' };
