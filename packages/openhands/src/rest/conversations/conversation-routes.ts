import { z } from 'zod';
import type { ExecutionStatus } from '@conv/core';
import type { Route } from '../route.ts';
import { bodyOr, orNull, request } from '../../schema/objects.ts';
import { integer } from '../../schema/scalars.ts';
import { type Success, successSchema } from '../../schema/success.ts';
import { uuid } from '../../schema/uuid.ts';
import { named } from '../../schema/named.ts';
import {
  type ConversationInfo,
  conversationInfoSchema,
  type ConversationPage,
  conversationPageSchema,
} from './conversation-info.ts';
import {
  type ConversationParams,
  conversationParams,
  type IncludeSkills,
  includeSkills,
  includeSkillsMember,
} from './conversation-params.ts';
import {
  type ForkConversationRequest,
  forkConversationRequestSchema,
  type NavigateRequest,
  navigateRequestSchema,
  type UpdateConversationRequest,
  updateConversationRequestSchema,
} from './conversation-requests.ts';
import { executionStatusSchema } from './execution-status.ts';
import { type StartConversationRequest, startConversationRequestSchema } from './start-conversation.ts';

/** In which order conversations are listed. */
export type ConversationSortOrder = 'CREATED_AT' | 'UPDATED_AT' | 'CREATED_AT_DESC' | 'UPDATED_AT_DESC';

/** Which conversations to list. */
export interface SearchConversationsQuery extends IncludeSkills {
  readonly page_id: string | null;
  readonly limit: number;
  readonly status: ExecutionStatus | null;
  readonly sort_order: ConversationSortOrder;
}

/** Which conversations to get, by id. */
export interface BatchConversationsQuery extends IncludeSkills {
  readonly ids: readonly string[];
}

const tag = 'Conversations';
const root = '/api/conversations';
const item = `${root}/{conversation_id}`;
const missing = 'There is no such conversation.';

/** A limit of 1 to 100, by default 100. */
const limit = integer({ above: 0, maximum: 100 }).default(100);

const sortOrderSchema: z.ZodType<ConversationSortOrder> = named(
  'ConversationSortOrder',
  z.enum(['CREATED_AT', 'UPDATED_AT', 'CREATED_AT_DESC', 'UPDATED_AT_DESC']),
);

const oneOrMore = z.preprocess((ids) => (typeof ids === 'string' ? [ids] : ids), z.array(uuid).max(100));

/** Starts a conversation. 200 instead of 201, with the existing one, when the id is taken. */
export const startConversation: Route<{ query: IncludeSkills; body: StartConversationRequest }, ConversationInfo> = {
  method: 'POST',
  path: root,
  operationId: 'start_conversation',
  tag,
  summary: 'Start a conversation',
  auth: 'session',
  query: includeSkills,
  body: startConversationRequestSchema,
  idempotencyKey: true,
  success: 201,
  otherSuccess: { 200: 'The conversation is there already; the rest of the request is ignored.' },
  answer: conversationInfoSchema,
  errors: {
    404: 'There is no such agent profile.',
    409: 'The id is taken by what is not a conversation that can be opened.',
  },
};

/** Gets conversations by id, in the order asked for, null where there is none. */
export const getConversations: Route<{ query: BatchConversationsQuery }, readonly (ConversationInfo | null)[]> = {
  method: 'GET',
  path: root,
  operationId: 'batch_get_conversations',
  tag,
  summary: 'Get conversations by id',
  auth: 'session',
  query: request({ ids: oneOrMore, ...includeSkillsMember }),
  success: 200,
  answer: z.array(z.nullable(conversationInfoSchema)),
};

/** Lists conversations by pages. */
export const searchConversations: Route<{ query: SearchConversationsQuery }, ConversationPage> = {
  method: 'GET',
  path: `${root}/search`,
  operationId: 'search_conversations',
  tag,
  summary: 'List conversations',
  auth: 'session',
  query: request({
    page_id: orNull(z.string()),
    limit,
    status: orNull(executionStatusSchema),
    sort_order: sortOrderSchema.default('CREATED_AT_DESC'),
    ...includeSkillsMember,
  }),
  success: 200,
  answer: conversationPageSchema,
};

/** Counts conversations. */
export const countConversations: Route<{ query: { readonly status: ExecutionStatus | null } }, number> = {
  method: 'GET',
  path: `${root}/count`,
  operationId: 'count_conversations',
  tag,
  summary: 'Count conversations',
  auth: 'session',
  query: request({ status: orNull(executionStatusSchema) }),
  success: 200,
  answer: integer(),
};

/** Gets one conversation. */
export const getConversation: Route<{ params: ConversationParams; query: IncludeSkills }, ConversationInfo> = {
  method: 'GET',
  path: item,
  operationId: 'get_conversation',
  tag,
  summary: 'Get a conversation',
  auth: 'session',
  params: conversationParams,
  query: includeSkills,
  success: 200,
  answer: conversationInfoSchema,
  errors: { 404: missing },
};

/** Changes title and tags. */
export const updateConversation: Route<{ params: ConversationParams; body: UpdateConversationRequest }, Success> = {
  method: 'PATCH',
  path: item,
  operationId: 'update_conversation',
  tag,
  summary: 'Change title or tags',
  auth: 'session',
  params: conversationParams,
  body: updateConversationRequestSchema,
  success: 200,
  answer: successSchema,
  errors: { 404: missing },
};

/** Deletes a conversation and its log; its workspace stays. */
export const deleteConversation: Route<{ params: ConversationParams }, Success> = {
  method: 'DELETE',
  path: item,
  operationId: 'delete_conversation',
  tag,
  summary: 'Delete a conversation',
  auth: 'session',
  params: conversationParams,
  success: 200,
  answer: successSchema,
  errors: { 404: missing },
};

/** Copies a conversation. The body may be left out. 200 instead of 201 when it is repeated with its key. */
export const forkConversation: Route<
  { params: ConversationParams; query: IncludeSkills; body: ForkConversationRequest },
  ConversationInfo
> = {
  method: 'POST',
  path: `${item}/fork`,
  operationId: 'fork_conversation',
  tag,
  summary: 'Copy a conversation, whole or up to an event',
  auth: 'session',
  params: conversationParams,
  query: includeSkills,
  body: bodyOr({}, forkConversationRequestSchema),
  bodyOptional: true,
  idempotencyKey: true,
  success: 201,
  otherSuccess: { 200: 'This request was made before with this key; its copy is the answer.' },
  answer: conversationInfoSchema,
  errors: { 404: 'There is no such conversation, or no such event in it.', 409: 'The id is taken.' },
};

/** Moves HEAD. */
export const navigateConversation: Route<
  { params: ConversationParams; query: IncludeSkills; body: NavigateRequest },
  ConversationInfo
> = {
  method: 'POST',
  path: `${item}/navigate`,
  operationId: 'navigate_conversation',
  tag,
  summary: 'Go on from another event',
  auth: 'session',
  params: conversationParams,
  query: includeSkills,
  body: navigateRequestSchema,
  success: 200,
  answer: conversationInfoSchema,
  errors: { 404: 'There is no such conversation, or no such event in it.', 409: 'The agent is running.' },
};
