import { isConversationError } from '@conv/core';
import { eventRoutes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import type { ConversationHost } from '../hosting/conversation-host.ts';
import { ApiError, type RefusalTexts } from '../http/api-error.ts';
import { serveRoute } from '../http/serve-route.ts';
import { idempotencyKey, keyUsedBefore, messageIdOfKey } from '../http/idempotency-key.ts';
import { orRefused, withConversation, withReading } from '../hosting/with-conversation.ts';
import { countEvents, searchEvents } from '../conversations/search-events.ts';

const texts: RefusalTexts = { missing: (id) => `Conversation not found: ${id}` };

/** Serves the events of a conversation, and takes its messages. */
export function serveEvents(app: FastifyInstance, host: ConversationHost): void {
  serveRoute(
    app,
    eventRoutes.search,
    ({ params, query }) => withReading(host, params.conversation_id, ({ state }) => searchEvents(state.events, query)),
    texts,
  );
  serveRoute(
    app,
    eventRoutes.count,
    ({ params, query }) => withReading(host, params.conversation_id, ({ state }) => countEvents(state.events, query)),
    texts,
  );
  serveRoute(
    app,
    eventRoutes.get,
    ({ params }) =>
      withReading(host, params.conversation_id, async ({ state }) => {
        const event = await state.events.get(params.event_id);
        if (!event) throw new ApiError(404, `Event not found: ${params.event_id}`);
        return event;
      }),
    texts,
  );
  serveRoute(
    app,
    eventRoutes.getMany,
    ({ params, query, body }) =>
      withReading(host, params.conversation_id, ({ state }) =>
        Promise.all([...body, ...query.ids].map(async (id) => (await state.events.get(id)) ?? null)),
      ),
    texts,
  );
  serveSaying(app, host);
}

function serveSaying(app: FastifyInstance, host: ConversationHost): void {
  serveRoute(
    app,
    eventRoutes.sendMessage,
    async ({ params, body, request }) => {
      const { conversation_id: id } = params;
      const { content, run, sender } = body;
      const key = idempotencyKey(request);
      const options = {
        run,
        ...(sender === null ? {} : { sender }),
        ...(key === undefined ? {} : { id: messageIdOfKey(id, key) }),
      };
      const message = { role: 'user', content, thinking_blocks: [] } as const;
      await withConversation(host, id, (hosted) => orRefused(409, orUsedBefore(key, hosted.send(message, options))));
      return { success: true };
    },
    texts,
  );
  serveRoute(
    app,
    eventRoutes.respondToConfirmation,
    async ({ params, body }) => {
      await withConversation(host, params.conversation_id, (hosted) =>
        body.accept ? hosted.approveAll() : hosted.conversation.reject(undefined, body.reason),
      );
      return { success: true };
    },
    texts,
  );
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
