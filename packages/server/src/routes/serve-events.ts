import { eventRoutes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { checkOutside } from '../auth/approver-checks.ts';
import { callerOf } from '../auth/caller.ts';
import { sendFor } from '../conversations/caller-commands.ts';
import { decisionOf } from '../conversations/decision-of.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import { ApiError } from '../http/api-error.ts';
import { idempotencyKey } from '../http/idempotency-key.ts';
import { undecidedCalls } from '../hosting/undecided-calls.ts';
import { withPast } from '../hosting/with-conversation.ts';
import { conversationServing } from './conversation-serving.ts';
import { countEvents, searchEvents } from '../conversations/search-events.ts';

/** Serves the events of a conversation, and takes its messages. An unknown conversation is refused before a wrong query or body. */
export function serveEvents(app: FastifyInstance, host: ConversationHost): void {
  const { read, command } = conversationServing(app, host, {
    missing: (id) => `Conversation not found: ${id}`,
    checkPath: ({ conversation_id: id }) => withPast(host, id, async () => {}),
  });
  read(eventRoutes.search, ({ state }, { query }) => searchEvents(state.events, query));
  read(eventRoutes.count, ({ state }, { query }) => countEvents(state.events, query));
  read(eventRoutes.get, async ({ state }, { params }) => {
    const event = await state.events.get(params.event_id);
    if (!event) throw new ApiError(404, `Event not found: ${params.event_id}`);
    return event;
  });
  read(eventRoutes.getMany, ({ state }, { query, body }) =>
    Promise.all([...body, ...query.ids].map(async (id) => (await state.events.get(id)) ?? null)),
  );
  command(eventRoutes.sendMessage, (hosted, { body, request }) =>
    sendFor(hosted, callerOf(request), body, idempotencyKey(request)),
  );
  command(eventRoutes.respondToConfirmation, (hosted, { body, request }) => {
    const by = callerOf(request);
    if (!body.accept) return hosted.conversation.reject(undefined, body.reason, decisionOf(by, host.platform));
    checkOutside(by, hosted.conversation.state, undecidedCalls(hosted.conversation));
    return hosted.approveAll({ by });
  });
}
