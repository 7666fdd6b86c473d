import { openaiCompatible } from '@conv/agent';
import { createModelServer, fail, say } from '@conv/testing-model-server';
import { expect, onTestFinished, test } from 'vitest';

import { realConversation } from './real-conversation.ts';

test('P7: messages, settings and another model are durable while a failed model call waits for its retry', async () => {
  const server = await createModelServer({ script: [fail(503), say('At last.'), say('Answered too.')] });
  onTestFinished(() => server.close());
  const { conversation, dispose } = await realConversation(
    server,
    { turns: [] },
    { mirror: 'always', agentOnOpen: 'given' },
  );
  onTestFinished(dispose);
  const waiting = Promise.withResolvers<void>();
  const rested = Promise.withResolvers<void>();
  const sleep = (): Promise<void> => {
    waiting.resolve();
    return rested.promise;
  };
  await conversation.settings.setModel(openaiCompatible('first', { baseUrl: server.url, retry: { sleep } }));
  await conversation.sendMessage('Hi');
  const running = conversation.run();
  await waiting.promise;
  const { id } = await conversation.sendMessage('And?');
  await conversation.settings.setTitle('Waiting');
  await conversation.settings.setModel(openaiCompatible('second', { baseUrl: server.url }));
  expect([conversation.state.queue.map((message) => message.id), conversation.state.title]).toEqual([[id], 'Waiting']);
  rested.resolve();
  expect((await running).status).toBe('finished');
  expect(server.requests.map(({ model }) => model)).toEqual(['first', 'first', 'second']);
  expect(await conversation.finalResponse()).toBe('Answered too.');
});
