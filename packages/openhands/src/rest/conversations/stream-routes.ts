import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { boolean, integer, kept, keptAs, orNull, request } from '../../schema/index.ts';
import { conversationParams } from './conversation-params.ts';
import { eventSchema } from './event-schema.ts';

const tag = 'Events';
const root = '/api/conversations/{conversation_id}';
const after = orNull(integer({ minimum: -1 }));
const errors = {
  404: 'There is no such conversation.',
  409: 'The log ends before the event `after`: it is another log. Ask again without `after`.',
} as const;

/** Routes for clients that follow a conversation without a socket. */
export const streamRoutes = {
  /**
   * Sends the events after a number and then what happens, as server-sent events. The `id` of an event is its number, so an
   * EventSource that reconnects misses nothing and gets nothing twice. Ends when the server or the conversation does.
   */
  follow: defineRoute(tag, `GET ${root}/stream`, 'stream_conversation', 'Follow a conversation by server-sent events', {
    scope: 'read',
    auth: 'stream',
    params: conversationParams,
    query: request({
      /**
       * The number of the last event that the client has; -1 for the whole log, null for the newest turn. The header
       * `Last-Event-ID` wins.
       */
      after,
      /** False to end the stream when everything was sent that is there. */
      follow: boolean().default(true),
      /** A one-use ticket, for clients that can send no header. */
      ticket: orNull(z.string()),
    }),
    answer: { mediaType: 'text/event-stream' },
    errors,
    extension: true,
  }),

  /** Waits until there are events after a number, and lists them in the order of the log. */
  poll: defineRoute(tag, `GET ${root}/events/poll`, 'poll_conversation_events', 'Wait for events', {
    scope: 'read',
    params: conversationParams,
    query: request({
      /** The number of the last event that the client has; -1 for the whole log, null for the newest turn. */
      after,
      limit: integer({ minimum: 1, maximum: 1000 }).default(100),
      /** Seconds after which the answer comes without events. */
      wait: integer({ minimum: 0, maximum: 60 }).default(20),
    }),
    answer: keptAs('EventsAfter', {
      /** Events that damage took are left out. */
      events: z.array(keptAs('NumberedEvent', { seq: integer({ minimum: 0 }), event: eventSchema })),
      /** The number to ask with next. */
      after: integer({ minimum: -1 }),
      /** True if there are events behind these already. */
      has_more: boolean(),
    }),
    errors,
    extension: true,
  }),

  /** Issues a ticket that opens one stream in place of the key, within a minute. The key must be in the header. */
  ticket: defineRoute(tag, 'POST /api/auth/stream-ticket', 'create_stream_ticket', 'Get a ticket for a stream', {
    scope: 'read',
    answer: kept({ ticket: z.string(), /** Seconds. */ expires_in: integer({ minimum: 1 }) }),
    errors: { 409: 'The request shows no key. The session cookie opens streams without a ticket.' },
    extension: true,
  }),
};
