import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { integer, named, orNull, request, successSchema, uuid } from '../../schema/index.ts';
import { startChildRequestSchema, startChildResponseSchema } from './child-conversation.ts';
import { conversationInfoSchema, conversationPageSchema, conversationRuntimeSchema } from './conversation-info.ts';
import { conversationParams, includeSkills, includeSkillsMember } from './conversation-params.ts';
import {
  forkConversationRequestSchema,
  navigateRequestSchema,
  updateConversationRequestSchema,
} from './conversation-requests.ts';
import { executionStatusSchema } from './execution-status.ts';
import { startConversationRequestSchema } from './start-conversation.ts';

const tag = 'Conversations';
const root = '/api/conversations';
const item = `${root}/{conversation_id}`;
const missing = 'There is no such conversation.';

/** A limit of 1 to 100, by default 100. */
const limit = integer({ above: 0, maximum: 100 }).default(100);

const searchQuery = request({
  page_id: orNull(z.string()),
  limit,
  status: orNull(executionStatusSchema),
  sort_order: named(
    'ConversationSortOrder',
    z.enum(['CREATED_AT', 'UPDATED_AT', 'CREATED_AT_DESC', 'UPDATED_AT_DESC']),
  ).default('CREATED_AT_DESC'),
  ...includeSkillsMember,
});

/** Which conversations to list. */
export type SearchConversationsQuery = z.output<typeof searchQuery>;

const oneOrMore = z.preprocess((ids) => (typeof ids === 'string' ? [ids] : ids), z.array(uuid).max(100));

/** Routes of conversations: start, list, get, change, delete, copy. */
export const conversationRoutes = {
  /** Starts a conversation. 200 instead of 201, with the existing one, when the id is taken. */
  start: defineRoute(tag, `POST ${root}`, 'start_conversation', 'Start a conversation', {
    scope: 'run',
    query: includeSkills,
    body: startConversationRequestSchema,
    idempotencyKey: true,
    /** Values of the members of the body that are about traces. Of OpenHands' 1.52. */
    headers: ['Span-Name', 'Tags', 'Metadata', 'Parent-Span-Context'].map(
      (name) => `X-OpenHands-Observability-${name}`,
    ),
    otherSuccess: { 200: 'The conversation is there already; the rest of the request is ignored.' },
    answer: conversationInfoSchema,
    errors: {
      404: 'There is no such agent profile.',
      409: 'The id belongs to a conversation that cannot be opened.',
    },
    success: 201,
  }),

  /** Gets conversations by id, in the requested order, with null for an unknown id. */
  getMany: defineRoute(tag, `GET ${root}`, 'batch_get_conversations', 'Get conversations by id', {
    scope: 'read',
    query: request({ ids: oneOrMore, ...includeSkillsMember }),
    answer: z.array(z.nullable(conversationInfoSchema)),
  }),

  search: defineRoute(tag, `GET ${root}/search`, 'search_conversations', 'List conversations', {
    scope: 'read',
    query: searchQuery,
    answer: conversationPageSchema,
  }),

  count: defineRoute(tag, `GET ${root}/count`, 'count_conversations', 'Count conversations', {
    scope: 'read',
    query: request({ status: orNull(executionStatusSchema) }),
    answer: integer(),
  }),

  get: defineRoute(tag, `GET ${item}`, 'get_conversation', 'Get a conversation', {
    scope: 'read',
    params: conversationParams,
    query: includeSkills,
    answer: conversationInfoSchema,
    errors: { 404: missing },
  }),

  update: defineRoute(tag, `PATCH ${item}`, 'update_conversation', 'Change title or tags', {
    scope: 'run',
    params: conversationParams,
    body: updateConversationRequestSchema,
    answer: successSchema,
    errors: { 404: missing },
  }),

  /** Deletes a conversation and its log; its workspace stays. */
  delete: defineRoute(tag, `DELETE ${item}`, 'delete_conversation', 'Delete a conversation', {
    scope: 'run',
    params: conversationParams,
    answer: successSchema,
    errors: { 404: missing },
  }),

  /** Copies a conversation. The body may be left out. 200 instead of 201 when it is repeated with its key. */
  fork: defineRoute(tag, `POST ${item}/fork`, 'fork_conversation', 'Copy a conversation, whole or up to an event', {
    scope: 'run',
    params: conversationParams,
    query: includeSkills,
    body: forkConversationRequestSchema.prefault({}),
    bodyOptional: true,
    idempotencyKey: true,
    otherSuccess: { 200: 'This request was made before with this key; its copy is the answer.' },
    answer: conversationInfoSchema,
    errors: { 404: 'There is no such conversation, or no such event in it.', 409: 'The id is taken.' },
    codes: { 404: 'UNKNOWN_EVENT', 409: 'EXISTS' },
    success: 201,
  }),

  /**
   * Starts a conversation with the agent and the settings of another one, its parent. It begins with the task and knows nothing else of its
   * parent. Of OpenHands' 1.56.
   */
  startChild: defineRoute(tag, `POST ${item}/children`, 'start_child_conversation', 'Start a child conversation', {
    scope: 'run',
    params: conversationParams,
    body: startChildRequestSchema,
    answer: startChildResponseSchema,
    errors: {
      404: 'There is no such conversation.',
      409: 'The settings of the conversation may be damaged.',
      429: 'The conversation has as many children as it may have, or is nested too deep.',
    },
    success: 201,
  }),

  /** Tells if the tools of a conversation can act. An executor comes with the first call that needs it. Of OpenHands' 1.48. */
  getRuntime: defineRoute(tag, `GET ${item}/runtime`, 'get_conversation_runtime', 'Get where tools act', {
    scope: 'read',
    params: conversationParams,
    answer: conversationRuntimeSchema,
    errors: { 404: missing },
  }),

  /** Changes nothing: an executor that has ended comes again by itself. */
  reprovisionRuntime: defineRoute(
    tag,
    `POST ${item}/runtime/reprovision`,
    'reprovision_conversation_runtime',
    'Make where tools act again',
    { scope: 'run', params: conversationParams, answer: conversationRuntimeSchema, errors: { 404: missing } },
  ),

  /** Moves HEAD. */
  navigate: defineRoute(tag, `POST ${item}/navigate`, 'navigate_conversation', 'Move HEAD to another event', {
    scope: 'run',
    params: conversationParams,
    query: includeSkills,
    body: navigateRequestSchema,
    answer: conversationInfoSchema,
    errors: { 404: 'There is no such conversation, or no such event in it.', 409: 'The agent is running.' },
    codes: { 404: 'UNKNOWN_EVENT' },
  }),
};
