import { z } from 'zod';
import { bashEventSchema, type ExecuteBashRequest, executeBashRequestSchema } from '../rest/workspace/bash-events.ts';
import { conversationParams } from '../rest/conversations/conversation-params.ts';
import { eventSchema } from '../rest/conversations/event-schema.ts';
import { boolean, integer, localDateTime, oneOf, orNull, request } from '../schema/index.ts';
import { type AuthFrame, authFrameSchema, conversationClientFrameSchema } from './client-frames.ts';
import { sessionFrameSchema } from './session-frames.ts';
import { defineSocket } from './socket.ts';

const key = { session_api_key: orNull(z.string()) };

/** Events of a conversation as OpenHands' 1.43.1 sends them: each frame is one event. */
export const eventsSocket = defineSocket({
  path: '/sockets/events/{conversation_id}',
  scope: 'read',
  frameScope: 'run',
  params: conversationParams,
  query: request({
    ...key,
    /** Events that are sent again before live ones: none, all, or, since `after_timestamp`, all that are not older. */
    resend_mode: orNull(z.enum(['all', 'since'])),
    /** Naive local time, compared as a text; inclusive. */
    after_timestamp: orNull(localDateTime),
    /** Older name of `resend_mode=all`; used if there is no mode. */
    resend_all: boolean().default(false),
  }),
  serverFrame: eventSchema,
  clientFrame: conversationClientFrameSchema,
});

/** Parameters of the socket of a conversation's events. */
export type EventsSocketQuery = z.output<typeof eventsSocket.query>;

/** Events of a conversation with their numbers, from a cursor on. */
export const sessionSocket = defineSocket({
  path: '/sockets/session/{conversation_id}',
  scope: 'read',
  frameScope: 'run',
  params: conversationParams,
  query: request({
    ...key,
    /** The number of the last event that the client has; the events after it are sent. -1: all events. Null: live events only. */
    after_seq: orNull(integer({ minimum: -1 })),
  }),
  serverFrame: sessionFrameSchema,
  clientFrame: conversationClientFrameSchema,
  extension: true,
});

/** All commands of the server and what they write. */
export const bashSocket = defineSocket({
  path: '/sockets/bash-events',
  scope: 'admin',
  frameScope: ['admin', 'approve'],
  allConversations: true,
  query: request({ ...key, resend_mode: orNull(z.enum(['all'])), resend_all: boolean().default(false) }),
  serverFrame: bashEventSchema,
  clientFrame: oneOf<AuthFrame | ExecuteBashRequest>({
    by: 'type',
    members: { auth: authFrameSchema },
    absent: () => '',
    other: executeBashRequestSchema,
  }),
});
