import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { boolean, integer, jsonObject, jsonValue, keptAs, orNull, request } from '../../schema/index.ts';
import { conversationParams } from './conversation-params.ts';

const whole = integer({ minimum: 0 });

const commitSchema = keptAs('Commit', {
  id: z.string(),
  seq: whole,
  epoch: whole,
  firstEvent: whole,
  events: z.array(jsonObject),
  patch: z.exactOptional(jsonObject),
  records: z.exactOptional(z.array(jsonValue)),
});

/** A commit on the wire: the members of core's `Commit`. */
export type WireCommit = z.output<typeof commitSchema>;

const commitsPageSchema = keptAs('CommitsPage', {
  commits: z.array(commitSchema),
  /** The greatest number of a commit of the conversation; null when it has none. */
  through: orNull(whole),
  has_more: boolean(),
});

/** Commits in the order of their numbers. */
export type CommitsPage = z.output<typeof commitsPageSchema>;

const stateAtSchema = keptAs('StateAt', {
  /** The last commit that is folded in. */
  seq: integer({ minimum: -1 }),
  /** Events up to here. */
  events: whole,
  /** The members of core's `StateFields`, secrets left out. */
  state: jsonObject,
  /** Model responses on the live branch. */
  iteration: whole,
  /** The task list of the agent on the live branch. */
  task_list: z.array(jsonObject),
  /** Ids of executable actions on the live branch that have no result, oldest first. */
  pending: z.array(z.string()),
});

/** The state of a conversation after a commit. */
export type StateAtAnswer = z.output<typeof stateAtSchema>;

/** Commits, and the state after any of them. */
export const historyRoutes = {
  /** Reads commits, so that a client can fold the state at any of them. Values of secrets are not in them. */
  listCommits: defineRoute(
    'History',
    'GET /api/conversations/{conversation_id}/commits',
    'list_commits',
    'Read commits after a number',
    {
      scope: 'read',
      params: conversationParams,
      query: request({
        /** Only commits with a greater number; -1 for all. */
        after: integer({ minimum: -1 }).default(-1),
        /** The maximum number of commits. A page may be shorter because of its size in bytes; `has_more` tells if there are more. */
        limit: integer({ minimum: 1, maximum: 1000 }).default(100),
      }),
      answer: commitsPageSchema,
      errors: { 404: 'There is no such conversation.' },
      extension: true,
    },
  ),

  getState: defineRoute(
    'History',
    'GET /api/conversations/{conversation_id}/state',
    'get_state',
    'Get the state after a commit',
    {
      scope: 'read',
      params: conversationParams,
      query: request({
        /** A commit number; null: the last one. */
        at: orNull(integer({ minimum: -1 })),
        /** An event number, in place of a commit: the commit that holds it. */
        event: orNull(integer({ minimum: 0 })),
      }),
      answer: stateAtSchema,
      errors: {
        404: 'There is no such conversation, or no such commit or event in it.',
        422: 'Both a commit and an event are named.',
      },
      extension: true,
    },
  ),
};
