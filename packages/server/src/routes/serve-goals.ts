import { isConversationError } from '@conv/core';
import { commandRoutes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { accessOf, callerOf } from '../auth/caller.ts';
import type { Caller } from '../auth/principal.ts';
import { checkRun } from '../auth/approver-checks.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import type { HostedConversation } from '../hosting/hosted-conversation.ts';
import { ApiError } from '../http/api-error.ts';
import { serveRoute } from '../http/serve-route.ts';
import { orRefused, withConversation } from '../hosting/with-conversation.ts';
import { conversationServing } from './conversation-serving.ts';

/** Serves goals. Work on a goal continues without its client, as runs do, and counts as one run. */
export function serveGoals(app: FastifyInstance, host: ConversationHost): void {
  const { command } = conversationServing(app, host);
  serveRoute(app, commandRoutes.startGoal, async ({ params, body, request }) => {
    const { objective, max_iterations: maxIterations } = body;
    if (objective.trim() === '') throw new ApiError(400, 'objective must be text that is not blank');
    await withConversation(host, params.conversation_id, (hosted) => {
      checkRun(accessOf(request), hosted.conversation.state);
      const go = (): Promise<unknown> => hosted.conversation.goal.pursue(objective, { maxIterations });
      return orRefused(400, hosted.start({ go, isRun: false, by: callerOf(request) }));
    });
    return { success: true };
  });
  command(commandRoutes.stopGoal, ({ conversation }) => conversation.goal.stop());
  command(commandRoutes.resumeGoal, async (hosted, { request }) => {
    checkRun(accessOf(request), hosted.conversation.state);
    await resume(hosted, callerOf(request));
  });
}

async function resume(hosted: HostedConversation, by: Caller): Promise<void> {
  const { goal } = hosted.conversation;
  try {
    await orRefused(400, hosted.start({ go: () => goal.resume(), isRun: false, by }));
  } catch (error) {
    if (!isConversationError(error, 'INVALID_INPUT')) throw error;
    throw new ApiError(400, 'no_resumable_goal', { cause: error });
  }
}
