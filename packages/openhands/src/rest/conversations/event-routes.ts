import { z } from 'zod';
import type { Event } from '@conv/core/events';
import { type ConversationParams, conversationParams } from '../conversations/conversation-params.ts';
import {
  type AnswerCallRequest,
  answerCallRequestSchema,
  type ApproveRequest,
  approveRequestSchema,
  type ConfirmationResponseRequest,
  confirmationResponseRequestSchema,
  type RejectRequest,
  rejectRequestSchema,
} from '../conversations/conversation-requests.ts';
import { type SendMessageRequest, sendMessageRequestSchema } from '../conversations/send-message.ts';
import type { Route } from '../route.ts';
import { documented, OURS } from '../../schema/named.ts';
import { bodyOr, request } from '../../schema/objects.ts';
import { type Page, pageOf } from '../../schema/page.ts';
import { integer } from '../../schema/scalars.ts';
import { type Success, successSchema } from '../../schema/success.ts';
import { uuid } from '../../schema/uuid.ts';
import {
  type EventFilter,
  eventFilterSchema,
  type SearchEventsQuery,
  searchEventsQuerySchema,
} from './event-filter.ts';
import { eventSchema } from './event-schema.ts';

/** Which event of which conversation. */
export interface EventParams extends ConversationParams {
  readonly event_id: string;
}

/**
 * The header that makes sending safe to repeat: the server does what is asked once for each value and conversation, and gives
 * the first answer again. At most 200 characters. On messages and on starting a conversation.
 */
export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';

const tag = 'Events';
const root = '/api/conversations/{conversation_id}/events';
const missing = 'There is no such conversation.';

/** Lists events of all branches by pages, in the order of the log. Null members are left out. */
export const searchEvents: Route<{ params: ConversationParams; query: SearchEventsQuery }, Page<Event>> = {
  method: 'GET',
  path: `${root}/search`,
  operationId: 'search_conversation_events',
  tag,
  summary: 'List events',
  auth: 'session',
  params: conversationParams,
  query: searchEventsQuerySchema,
  success: 200,
  answer: pageOf('EventPage', eventSchema),
  errors: { 404: missing },
};

/** Counts events. */
export const countEvents: Route<{ params: ConversationParams; query: EventFilter }, number> = {
  method: 'GET',
  path: `${root}/count`,
  operationId: 'count_conversation_events',
  tag,
  summary: 'Count events',
  auth: 'session',
  params: conversationParams,
  query: eventFilterSchema,
  success: 200,
  answer: integer(),
  errors: { 404: missing },
};

/** Gets one event; members that are null are there. */
export const getEvent: Route<{ params: EventParams }, Event> = {
  method: 'GET',
  path: `${root}/{event_id}`,
  operationId: 'get_conversation_event',
  tag,
  summary: 'Get an event',
  auth: 'session',
  params: request({ conversation_id: uuid, event_id: z.string() }),
  success: 200,
  answer: eventSchema,
  errors: { 404: 'There is no such conversation, or no such event in it.' },
};

/** Which events to get, for clients that cannot send a body with a GET. */
export interface BatchEventsQuery {
  readonly ids: readonly string[];
}

const oneOrMore = (ids: unknown): unknown => (typeof ids === 'string' ? [ids] : ids);
const eventIds = z.array(z.string()).max(100);

/** Gets events by id, in the order asked for, null where there is none. The ids are the body of the GET, or in its query. */
export const getEvents: Route<
  { params: ConversationParams; query: BatchEventsQuery; body: readonly string[] },
  readonly (Event | null)[]
> = {
  method: 'GET',
  path: root,
  operationId: 'batch_get_conversation_events',
  tag,
  summary: 'Get events by id',
  auth: 'session',
  params: conversationParams,
  query: request({ ids: documented(z.preprocess(oneOrMore, eventIds.default([])), OURS) }),
  body: bodyOr([], eventIds),
  bodyOptional: true,
  success: 200,
  answer: z.array(z.nullable(eventSchema)),
  errors: { 404: missing },
};

/** Sends a message. */
export const sendMessage: Route<{ params: ConversationParams; body: SendMessageRequest }, Success> = {
  method: 'POST',
  path: root,
  operationId: 'send_message',
  tag,
  summary: 'Send a message',
  auth: 'session',
  params: conversationParams,
  body: sendMessageRequestSchema,
  idempotencyKey: true,
  success: 200,
  answer: successSchema,
  errors: { 404: missing, 413: 'The message is too large for an event.' },
};

/** Accepts everything that is pending and runs, or rejects it. */
export const respondToConfirmation: Route<{ params: ConversationParams; body: ConfirmationResponseRequest }, Success> =
  {
    method: 'POST',
    path: `${root}/respond_to_confirmation`,
    operationId: 'respond_to_confirmation',
    tag,
    summary: 'Accept or reject what is pending',
    auth: 'session',
    params: conversationParams,
    body: confirmationResponseRequestSchema,
    success: 200,
    answer: successSchema,
    errors: { 404: missing },
  };

/** Approves exactly these actions; the conversation goes on waiting while others are open. Running is another call. */
export const approveActions: Route<{ params: ConversationParams; body: ApproveRequest }, Success> = {
  method: 'POST',
  path: '/api/conversations/{conversation_id}/approve',
  operationId: 'approve_actions',
  tag,
  summary: 'Approve pending actions',
  auth: 'session',
  params: conversationParams,
  body: bodyOr({}, approveRequestSchema),
  bodyOptional: true,
  success: 200,
  answer: successSchema,
  errors: { 404: missing, 409: 'An action is not pending.' },
  extension: true,
};

/** Rejects exactly these actions. */
export const rejectActions: Route<{ params: ConversationParams; body: RejectRequest }, Success> = {
  method: 'POST',
  path: '/api/conversations/{conversation_id}/reject',
  operationId: 'reject_actions',
  tag,
  summary: 'Reject pending actions',
  auth: 'session',
  params: conversationParams,
  body: bodyOr({}, rejectRequestSchema),
  bodyOptional: true,
  success: 200,
  answer: successSchema,
  errors: { 404: missing, 409: 'An action is not pending.' },
  extension: true,
};

/** Answers a call of a tool that runs at the client. */
export const answerCall: Route<{ params: ConversationParams; body: AnswerCallRequest }, Success> = {
  method: 'POST',
  path: `${root}/answer_call`,
  operationId: 'answer_call',
  tag,
  summary: 'Answer a call of a client tool',
  auth: 'session',
  params: conversationParams,
  body: answerCallRequestSchema,
  success: 200,
  answer: successSchema,
  errors: { 404: missing, 409: 'No such call is open.' },
  extension: true,
};
