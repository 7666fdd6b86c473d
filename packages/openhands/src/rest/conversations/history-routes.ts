import { z } from 'zod';
import type { JsonObject } from '@conv/core/events';
import { defineRoute } from '../define-route.ts';
import { named } from '../../schema/named.ts';
import { answer, orNull, request } from '../../schema/objects.ts';
import { boolean, integer, jsonObject, jsonValue } from '../../schema/scalars.ts';
import { conversationParams } from './conversation-params.ts';
import type { Json } from '@conv/core/events';

/** A commit on the wire: the members of core's `Commit`. */
export interface WireCommit {
  readonly id: string;
  readonly seq: number;
  readonly epoch: number;
  readonly firstEvent: number;
  readonly events: readonly JsonObject[];
  readonly patch?: JsonObject;
  readonly records?: readonly Json[];
}

/** Commits in the order of their numbers. */
export interface CommitsPage {
  readonly commits: readonly WireCommit[];
  /** The greatest number of a commit of the conversation; null when it has none. */
  readonly through: number | null;
  readonly has_more: boolean;
}

/** The state of a conversation after a commit. */
export interface StateAtAnswer {
  /** The last commit that is folded in. */
  readonly seq: number;
  /** Events up to here. */
  readonly events: number;
  /** The members of core's `StateFields`, secrets left out. */
  readonly state: JsonObject;
  /** Model responses on the live branch. */
  readonly iteration: number;
  /** The task list of the agent on the live branch. */
  readonly task_list: readonly JsonObject[];
  /** Ids of executable actions on the live branch that have no result, oldest first. */
  readonly pending: readonly string[];
}

const whole = integer({ minimum: 0 });

const commitSchema: z.ZodType<WireCommit> = named(
  'Commit',
  answer({
    id: z.string(),
    seq: whole,
    epoch: whole,
    firstEvent: whole,
    events: z.array(jsonObject),
    patch: z.exactOptional(jsonObject),
    records: z.exactOptional(z.array(jsonValue)),
  }),
);

const commitsPageSchema: z.ZodType<CommitsPage> = named(
  'CommitsPage',
  answer({ commits: z.array(commitSchema), through: orNull(whole), has_more: boolean() }),
);

const stateAtSchema: z.ZodType<StateAtAnswer> = named(
  'StateAt',
  answer({
    seq: integer({ minimum: -1 }),
    events: whole,
    state: jsonObject,
    iteration: whole,
    task_list: z.array(jsonObject),
    pending: z.array(z.string()),
  }),
);

/** Commits, and the state after any of them. */
export const historyRoutes = {
  /** Reads commits, so that a client can fold the state at any of them. Values of secrets are not in them. */
  listCommits: defineRoute(
    'History',
    'GET /api/conversations/{conversation_id}/commits',
    'list_commits',
    'Read commits after a number',
    {
      params: conversationParams,
      query: request({
        /** Only commits with a greater number; -1 for all. */
        after: integer({ minimum: -1 }).default(-1),
        /** At most so many. A page may be shorter for its bytes; `has_more` says whether there are others. */
        limit: integer({ minimum: 1, maximum: 1000 }).default(100),
      }),
      answer: commitsPageSchema,
      errors: { 404: 'There is no such conversation.' },
      extension: true,
    },
  ),

  /** Gets the state as it was after a commit. */
  getState: defineRoute(
    'History',
    'GET /api/conversations/{conversation_id}/state',
    'get_state',
    'Get the state after a commit',
    {
      params: conversationParams,
      query: request({
        /** A commit number; null: the last one. */
        at: orNull(integer({ minimum: -1 })),
      }),
      answer: stateAtSchema,
      errors: { 404: 'There is no such conversation, or no such commit in it.' },
      extension: true,
    },
  ),
};
