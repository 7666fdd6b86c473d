import type { ContentPart } from '@conv/core/events';
import { commandRoutes, eventRoutes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { conversationServing } from './conversation-serving.ts';
import { clientGone } from '../http/client-gone.ts';
import { callerOf } from '../auth/caller.ts';
import { runFor } from '../conversations/caller-commands.ts';
import { approveFor, decisionOf } from '../conversations/decision-of.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import { orRefused } from '../hosting/with-conversation.ts';

export function serveCommands(app: FastifyInstance, host: ConversationHost): void {
  const { read, use, command } = conversationServing(app, host);
  command(commandRoutes.pause, (hosted) => hosted.pause());
  command(commandRoutes.interrupt, (hosted) => hosted.interrupt());
  const { command: commandOrMissing } = conversationServing(app, host, { missing: 'Conversation not found' });
  commandOrMissing(commandRoutes.condense, ({ conversation }, { request }) =>
    orRefused(
      502,
      host.usage.asking(callerOf(request), conversation, () => conversation.history.condense()),
    ),
  );
  command(commandRoutes.run, (hosted, { body, request }) => runFor(hosted, callerOf(request), body, host.platform));
  use(commandRoutes.askAgent, async ({ conversation }, { body, request, reply }) => {
    const asked = host.usage.asking(callerOf(request), conversation, () =>
      conversation.askAgent(body.question, { signal: clientGone(reply) }),
    );
    const { text, record } = await orRefused(502, asked);
    return { response: text, record: { ...record } };
  });
  read(commandRoutes.getFinalResponse, async ({ state, fields }) => ({
    response: await state.events.lastAnswer(fields.leafEventId),
  }));
  command(eventRoutes.approve, (hosted, { body, request }) =>
    approveFor(hosted, callerOf(request), {
      ids: body.action_ids ?? undefined,
      edits: body.edits ?? {},
      now: host.platform.now,
    }),
  );
  command(eventRoutes.reject, ({ conversation }, { body, request }) =>
    conversation.reject(body.action_ids ?? undefined, body.reason, decisionOf(callerOf(request), host.platform)),
  );
  command(eventRoutes.answerCall, ({ conversation }, { body }) => {
    const { action_id: actionId, content, is_error: isError } = body;
    return conversation.answerCall(actionId, { content: content as readonly ContentPart[], isError });
  });
}
