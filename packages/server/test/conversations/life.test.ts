import { randomUUID } from 'node:crypto';

import { conversationInfoSchema, type ConversationInfo, type Page } from '@conv/protocol';
import type { Event } from '@conv/core/events';
import { describe, expect, test } from 'vitest';

import { newConversation, startServer, until } from '../support/test-server.ts';

const message = (text: string, run = true) => ({ role: 'user', content: [{ type: 'text', text }], run });

describe('a conversation', () => {
  test('is made, answers its first message and says so', async () => {
    const server = await startServer({ turns: [{ text: 'hello' }] });
    const { status, body } = await server.call<ConversationInfo>('POST', '/api/conversations', {
      ...newConversation(server.folder),
      initial_message: message('hi'),
    });
    expect(status).toBe(201);
    expect(conversationInfoSchema.safeParse(body).error).toBeUndefined();
    const ended = await until(async () => {
      const info = await server.info(body.id);
      return info.execution_status === 'finished' && info;
    });
    expect(ended.title).toBe('hi');
    const { body: page } = await server.call<Page<Event>>('GET', `/api/conversations/${body.id}/events/search`);
    expect(page.items.map(({ kind }) => kind)).toEqual(['SystemPromptEvent', 'MessageEvent', 'MessageEvent']);
    const final = await server.call('GET', `/api/conversations/${body.id}/agent_final_response`);
    expect(final.body).toEqual({ response: 'hello' });
    expect(server.reported).toEqual([]);
  });
});
