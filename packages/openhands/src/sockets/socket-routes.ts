import { z } from 'zod';
import type { Event } from '@conv/core/events';
import {
  type BashEvent,
  bashEventSchema,
  type ExecuteBashRequest,
  executeBashRequestSchema,
} from '../rest/workspace/bash-events.ts';
import { type ConversationParams, conversationParams } from '../rest/conversations/conversation-params.ts';
import { eventSchema } from '../rest/conversations/event-schema.ts';
import { localDateTime } from '../schema/date-time.ts';
import { orNull, request } from '../schema/objects.ts';
import { oneOf } from '../schema/one-of.ts';
import { boolean, integer } from '../schema/scalars.ts';
import {
  type AuthFrame,
  authFrameSchema,
  type ConversationClientFrame,
  conversationClientFrameSchema,
} from './client-frames.ts';
import { type SessionFrame, sessionFrameSchema } from './session-frames.ts';
import type { SocketRoute } from './socket.ts';

/** Parameters of the socket of a conversation's events. */
export interface EventsSocketQuery {
  readonly session_api_key: string | null;
  /** Events that are sent again before live ones: none, all, or, since `after_timestamp`, all that are not older. */
  readonly resend_mode: 'all' | 'since' | null;
  /** Naive local time, compared as a text; inclusive. */
  readonly after_timestamp: string | null;
  /** Older name of `resend_mode=all`; used if there is no mode. */
  readonly resend_all: boolean;
}

/** Parameters of the session socket. */
export interface SessionSocketQuery {
  readonly session_api_key: string | null;
  /** The last event that the client has: what follows is sent. -1: everything. Null: live events only. */
  readonly after_seq: number | null;
}

/** Parameters of the bash socket. */
export interface BashSocketQuery {
  readonly session_api_key: string | null;
  readonly resend_mode: 'all' | null;
  /** The older name of `resend_mode=all`. */
  readonly resend_all: boolean;
}

const key = { session_api_key: orNull(z.string()) };

/** Events of a conversation as OpenHands' 1.43.1 sends them: each frame is one event. */
export const eventsSocket: SocketRoute<ConversationParams, EventsSocketQuery, Event, ConversationClientFrame> = {
  path: '/sockets/events/{conversation_id}',
  params: conversationParams,
  query: request({
    ...key,
    resend_mode: orNull(z.enum(['all', 'since'])),
    after_timestamp: orNull(localDateTime),
    resend_all: boolean().default(false),
  }),
  serverFrame: eventSchema,
  clientFrame: conversationClientFrameSchema,
};

/** Events of a conversation with their numbers, from a cursor on. */
export const sessionSocket: SocketRoute<
  ConversationParams,
  SessionSocketQuery,
  SessionFrame | undefined,
  ConversationClientFrame
> = {
  path: '/sockets/session/{conversation_id}',
  params: conversationParams,
  query: request({ ...key, after_seq: orNull(integer({ minimum: -1 })) }),
  serverFrame: sessionFrameSchema,
  clientFrame: conversationClientFrameSchema,
  extension: true,
};

/** All commands of the server and what they write. */
export const bashSocket: SocketRoute<never, BashSocketQuery, BashEvent, AuthFrame | ExecuteBashRequest> = {
  path: '/sockets/bash-events',
  query: request({ ...key, resend_mode: orNull(z.enum(['all'])), resend_all: boolean().default(false) }),
  serverFrame: bashEventSchema,
  clientFrame: oneOf<AuthFrame | ExecuteBashRequest>({
    by: 'type',
    members: { auth: authFrameSchema },
    absent: () => '',
    other: executeBashRequestSchema,
  }),
};
