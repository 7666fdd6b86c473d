import type { ToolContent } from '@conv/core/tool';
import { commandRoutes, type ConversationParams, type Route, eventRoutes } from '@conv/openhands/rest';
import type { FastifyInstance, FastifyReply } from 'fastify';

import { accessOf } from '../auth/caller.ts';
import { checkRun } from '../auth/approver-checks.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import type { HostedConversation } from '../hosting/hosted-conversation.ts';
import type { RefusalTexts } from '../http/api-error.ts';
import { serveRoute } from '../http/serve-route.ts';
import { orRefused, withConversation, withReading } from '../hosting/with-conversation.ts';

/** A route that commands a conversation. */
export type CommandRoute<Input = unknown> = Route<
  { params: ConversationParams } & Input,
  { readonly success: boolean }
>;

const done = { success: true } as const;

/** Serves the commands of a conversation. */
export function serveCommands(app: FastifyInstance, host: ConversationHost): void {
  const command = commands(app, host);
  command(commandRoutes.pause, (hosted) => hosted.pause());
  command(commandRoutes.interrupt, (hosted) => hosted.interrupt());
  command(commandRoutes.condense, ({ conversation }) => orRefused(502, conversation.history.condense()), {
    missing: 'Conversation not found',
  });
  serveRuns(app, host);
  serveAnswers(app, host);
  serveDecisions(app, host);
  serveClientTools(app, host);
}

/** Serves commands that need no more words. */
export function commands(
  app: FastifyInstance,
  host: ConversationHost,
): (route: CommandRoute, work: (conversation: HostedConversation) => Promise<unknown>, texts?: RefusalTexts) => void {
  return (route, work, texts) =>
    serveRoute(
      app,
      route,
      async ({ params }) => {
        await withConversation(host, params.conversation_id, work);
        return done;
      },
      texts,
    );
}

function serveRuns(app: FastifyInstance, host: ConversationHost): void {
  serveRoute(app, commandRoutes.run, async ({ params, body: { max_iterations: maxIterations }, request }) => {
    await withConversation(host, params.conversation_id, (hosted) => {
      checkRun(accessOf(request), hosted.conversation.state, maxIterations);
      return orRefused(400, hosted.start(maxIterations === null ? {} : { maxIterations }));
    });
    return done;
  });
}

function serveAnswers(app: FastifyInstance, host: ConversationHost): void {
  serveRoute(app, commandRoutes.askAgent, ({ params, body, reply }) =>
    withConversation(host, params.conversation_id, async ({ conversation }) => {
      const asked = conversation.askAgent(body.question, { signal: disconnected(reply) });
      const { text, record } = await orRefused(502, asked);
      return { response: text, record: { ...record } };
    }),
  );
  serveRoute(app, commandRoutes.getFinalResponse, ({ params }) =>
    withReading(host, params.conversation_id, async ({ state, fields }) => ({
      response: await state.events.lastAnswer(fields.leafEventId),
    })),
  );
}

/** Serves a person's decisions on single actions. */
function serveDecisions(app: FastifyInstance, host: ConversationHost): void {
  serveRoute(app, eventRoutes.approve, async ({ params, body }) => {
    const ids = body.action_ids ?? undefined;
    await withConversation(host, params.conversation_id, ({ conversation }) => conversation.approve(ids));
    return done;
  });
  serveRoute(app, eventRoutes.reject, async ({ params, body }) => {
    const ids = body.action_ids ?? undefined;
    await withConversation(host, params.conversation_id, ({ conversation }) => conversation.reject(ids, body.reason));
    return done;
  });
}

/** Serves a client's results for calls of its own tools. */
function serveClientTools(app: FastifyInstance, host: ConversationHost): void {
  serveRoute(app, eventRoutes.answerCall, async ({ params, body }) => {
    const { action_id: actionId, content, is_error: isError } = body;
    await withConversation(host, params.conversation_id, ({ conversation }) =>
      conversation.answerCall(actionId, { content: content as readonly ToolContent[], isError }),
    );
    return done;
  });
}

/** Aborted when the client goes away before it was answered. */
function disconnected({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort(new DOMException('the client has gone', 'AbortError'));
  });
  return controller.signal;
}
