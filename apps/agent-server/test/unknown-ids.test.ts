import { createA2AHandler } from '@conv/a2a';
import { createAgUiHandler } from '@conv/ag-ui';
import { createChatHandler } from '@conv/ai-ui';
import { createConversationFactory, type Conversation } from '@conv/core';
import { MemoryStore } from '@conv/core/store';
import { local } from '@conv/local';
import { createOpenAIHandler } from '@conv/openai';
import { expect, test } from 'vitest';

const persistenceDir = '/srv/conversations-of-the-host';
const factory = createConversationFactory({ runtimes: [local({ storeAt: () => new MemoryStore() })] });
const conversation = (id: string): Promise<Conversation> => factory.resume(id, { persistenceDir });
const create = (): never => {
  throw new Error('expected no conversation to be made');
};

type Handler = (request: Request) => Promise<Response>;

/** A handler, with the end of a path and a body that name a conversation. */
type Case = readonly [string, Handler, string, (id: string) => object];

const CASES: readonly Case[] = [
  [
    'A2A',
    createA2AHandler({ card: { name: 'a', description: 'b' }, conversation, create }),
    '',
    (id) => {
      const message = { messageId: 'm', contextId: id, role: 'ROLE_USER', parts: [{ text: 'Go' }] };
      return { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
    },
  ],
  [
    'AG-UI',
    createAgUiHandler({ conversation }),
    '',
    (id) => ({ threadId: id, runId: 'r', messages: [{ id: 'm', role: 'user', content: 'Go' }] }),
  ],
  [
    'the AI SDK',
    createChatHandler({ conversation }),
    '',
    (id) => ({ id, messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Go' }] }] }),
  ],
  [
    "OpenAI's API",
    createOpenAIHandler({ conversation, create }),
    'responses',
    (id) => ({ model: 'm', conversation: id, input: 'Go' }),
  ],
];

test.each(CASES)(
  'a client of %s with an unknown id is told nothing of the place of conversations',
  async (...given) => {
    const [, handle, path, bodyFor] = given;
    const answer = await handle(
      new Request(`http://localhost/${path}`, {
        method: 'POST',
        headers: { 'a2a-version': '1.0' },
        body: JSON.stringify(bodyFor(crypto.randomUUID())),
      }),
    );
    const told = await answer.text();
    expect(told).toMatch(/expected the id of a \w+/);
    expect(told).not.toContain(persistenceDir);
  },
);
