import { z } from 'zod';
import { conversationParams } from '../conversations/conversation-params.ts';
import {
  answerCallRequestSchema,
  approveRequestSchema,
  confirmationResponseRequestSchema,
  rejectRequestSchema,
} from '../conversations/conversation-requests.ts';
import { sendMessageRequestSchema } from '../conversations/send-message.ts';
import { defineRoute } from '../define-route.ts';
import { bodyOr, documented, integer, OURS, pageOf, request, successSchema, uuid } from '../../schema/index.ts';
import { eventFilterSchema, searchEventsQuerySchema } from './event-filter.ts';
import { eventSchema } from './event-schema.ts';
import { streamRoutes } from './stream-routes.ts';

/**
 * The header that makes a request safe to repeat: the server executes it once for each value and conversation, and repeats the
 * first answer. At most 200 characters. On messages and on starting a conversation.
 */
export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';

const tag = 'Events';
const root = '/api/conversations/{conversation_id}/events';
const missing = 'There is no such conversation.';

const oneOrMore = (ids: unknown): unknown => (typeof ids === 'string' ? [ids] : ids);
const eventIds = z.array(z.string()).max(100);

/** Routes of events, of decisions on actions, and of answers to calls. */
export const eventRoutes = {
  /** Lists events of all branches by pages, in the order of the log. Null members are left out. */
  search: defineRoute(tag, `GET ${root}/search`, 'search_conversation_events', 'List events', {
    scope: 'read',
    params: conversationParams,
    query: searchEventsQuerySchema,
    answer: pageOf('EventPage', eventSchema),
    errors: { 404: missing },
  }),

  count: defineRoute(tag, `GET ${root}/count`, 'count_conversation_events', 'Count events', {
    scope: 'read',
    params: conversationParams,
    query: eventFilterSchema,
    answer: integer(),
    errors: { 404: missing },
  }),

  /** Gets one event, with its null members. */
  get: defineRoute(tag, `GET ${root}/{event_id}`, 'get_conversation_event', 'Get an event', {
    scope: 'read',
    params: request({ conversation_id: uuid, event_id: z.string() }),
    answer: eventSchema,
    errors: { 404: 'There is no such conversation, or no such event in it.' },
  }),

  /** Gets events by id, in the requested order, with null for an unknown id. The ids are the body of the GET, or in its query. */
  getMany: defineRoute(tag, `GET ${root}`, 'batch_get_conversation_events', 'Get events by id', {
    scope: 'read',
    params: conversationParams,
    query: request({ ids: documented(z.preprocess(oneOrMore, eventIds.default([])), OURS) }),
    body: bodyOr([], eventIds),
    bodyOptional: true,
    answer: z.array(z.nullable(eventSchema)),
    errors: { 404: missing },
  }),

  sendMessage: defineRoute(tag, `POST ${root}`, 'send_message', 'Send a message', {
    scope: 'run',
    params: conversationParams,
    body: sendMessageRequestSchema,
    idempotencyKey: true,
    answer: successSchema,
    errors: { 404: missing, 413: 'The message is too large for an event.' },
  }),

  /** Approves all pending actions and runs the agent, or rejects all of them. */
  respondToConfirmation: defineRoute(
    tag,
    `POST ${root}/respond_to_confirmation`,
    'respond_to_confirmation',
    'Accept or reject what is pending',
    {
      scope: 'approve',
      params: conversationParams,
      body: confirmationResponseRequestSchema,
      answer: successSchema,
      errors: { 404: missing },
    },
  ),

  /**
   * Approves exactly these actions; the conversation continues waiting while others are open. Running is another call. An action with
   * edits is rejected, and one with these arguments is approved in its place.
   */
  approve: defineRoute(
    tag,
    'POST /api/conversations/{conversation_id}/approve',
    'approve_actions',
    'Approve pending actions',
    {
      scope: 'approve',
      params: conversationParams,
      body: bodyOr({}, approveRequestSchema),
      bodyOptional: true,
      answer: successSchema,
      errors: { 404: missing, 409: 'An action is not pending.' },
      codes: { 409: 'UNKNOWN_ACTION' },
      extension: true,
    },
  ),

  /** Rejects exactly these actions. */
  reject: defineRoute(
    tag,
    'POST /api/conversations/{conversation_id}/reject',
    'reject_actions',
    'Reject pending actions',
    {
      scope: 'approve',
      params: conversationParams,
      body: bodyOr({}, rejectRequestSchema),
      bodyOptional: true,
      answer: successSchema,
      errors: { 404: missing, 409: 'An action is not pending.' },
      codes: { 409: 'UNKNOWN_ACTION' },
      extension: true,
    },
  ),

  answerCall: defineRoute(tag, `POST ${root}/answer_call`, 'answer_call', 'Answer a call of a client tool', {
    scope: 'run',
    params: conversationParams,
    body: answerCallRequestSchema,
    answer: successSchema,
    errors: { 404: missing, 409: 'No such call is open.' },
    codes: { 409: 'UNKNOWN_ACTION' },
    extension: true,
  }),

  ...streamRoutes,
};
