import { isConversationError } from '@conv/core';
import { eventRoutes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { checkOutside } from '../auth/approver-checks.ts';
import { callerOf } from '../auth/caller.ts';
import { decisionOf } from '../conversations/decision-of.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import { ApiError, type RefusalTexts } from '../http/api-error.ts';
import { idempotencyKey, keyUsedBefore, messageIdOfKey } from '../http/idempotency-key.ts';
import { undecidedCalls } from '../hosting/undecided-calls.ts';
import { orRefused } from '../hosting/with-conversation.ts';
import { conversationServing } from './conversation-serving.ts';
import { countEvents, searchEvents } from '../conversations/search-events.ts';

const texts: RefusalTexts = { missing: (id) => `Conversation not found: ${id}` };

/** Serves the events of a conversation, and takes its messages. */
export function serveEvents(app: FastifyInstance, host: ConversationHost): void {
  const { read, command } = conversationServing(app, host, texts);
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
  command(eventRoutes.sendMessage, (hosted, { params, body, request }) => {
    const { content, run, sender } = body;
    const key = idempotencyKey(request);
    const options = {
      run,
      by: callerOf(request),
      ...(sender === null ? {} : { sender }),
      ...(key === undefined ? {} : { id: messageIdOfKey(params.conversation_id, key) }),
    };
    const message = { role: 'user', content, thinking_blocks: [] } as const;
    return orRefused(409, orUsedBefore(key, hosted.send(message, options)));
  });
  command(eventRoutes.respondToConfirmation, (hosted, { body, request }) => {
    const by = callerOf(request);
    if (!body.accept) return hosted.conversation.reject(undefined, body.reason, decisionOf(by, host.platform));
    checkOutside(by, hosted.conversation.state, undecidedCalls(hosted.conversation));
    return hosted.approveAll({ by });
  });
}

/** Rejects for a key that another message used. This is the only refusal left, because the message was checked before. */
async function orUsedBefore<T>(key: string | undefined, sent: Promise<T>): Promise<T> {
  try {
    return await sent;
  } catch (error) {
    if (key === undefined || !isConversationError(error, 'INVALID_INPUT')) throw error;
    throw keyUsedBefore(key, error);
  }
}
