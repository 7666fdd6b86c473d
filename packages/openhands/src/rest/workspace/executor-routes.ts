import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { absent, jsonObject, keptAs, request, successSchema, uuid } from '../../schema/index.ts';

const tag = 'Executor';

const params = request({ session_id: uuid });

const answerSchema = keptAs('ExecutorAnswer', {
  /** Output for people, in pieces, of which a long one lacks its end. */
  output: z.array(z.string()),
  /** The answer, in the form of the tool; absent after a failure. */
  answer: absent(jsonObject),
  /** The reason, for the model, why the request was not executed; absent otherwise. */
  failure: absent(z.string()),
});

/**
 * Routes of an executor, a server that holds no conversation: it executes requests of the tools of conversations elsewhere. They are not
 * among `routes`, because servers of conversations do not have them.
 */
export const executorRoutes = {
  /**
   * Executes a request. Output arrives while it takes long, each piece in a line, and white space if there is none. A client that goes
   * away ends what it asked for.
   */
  execute: defineRoute(
    tag,
    'POST /api/executor/{session_id}/requests',
    'execute_request',
    'Execute a request of a tool',
    {
      scope: ['admin', 'approve'],
      allConversations: true,
      params,
      body: request({ working_dir: z.string(), request: jsonObject }),
      answer: answerSchema,
      errors: { 400: 'The folder is not absolute.', 403: 'The folder is not allowed.' },
      extension: true,
    },
  ),

  /** Ends the programs of a conversation. */
  end: defineRoute(tag, 'DELETE /api/executor/{session_id}', 'end_executor_session', 'End what a conversation runs', {
    scope: ['admin', 'approve'],
    allConversations: true,
    params,
    answer: successSchema,
    extension: true,
  }),
};
