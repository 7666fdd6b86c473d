import { join } from 'node:path';
import process from 'node:process';

import { createAgent, openaiCompatible } from '@conv/agent';
import { createConversationFactory } from '@conv/core';
import { local } from '@conv/local';
import { FsStore } from '@conv/persist-fs';
import { createModelServer, say } from '@conv/testing-model-server';
import { fileEditor, terminal } from '@conv/tools';
import { expect, onTestFinished, test } from 'vitest';

import { newFolder } from './new-folder.ts';

test('P2: three conversations made at once as the README does, in a fresh folder, all answer', async () => {
  await using server = await createModelServer({ script: () => say('Done.') });
  const before = process.cwd();
  process.chdir(newFolder());
  onTestFinished(() => process.chdir(before));
  const Conversation = createConversationFactory({
    runtimes: [local({ storeAt: (directory) => new FsStore({ directory }) })],
  });
  const model = openaiCompatible('scripted-model', { baseUrl: server.url });
  const agent = createAgent({ model, tools: [terminal(), fileEditor()] });
  const made = await Promise.all(
    Array.from({ length: 3 }, () => Conversation.create({ agent, workspace: 'my-project' })),
  );
  const statuses = await Promise.all(
    made.map(async (conversation) => {
      await conversation.sendMessage('Say that it is done.');
      const { status } = await conversation.run();
      await conversation.close();
      return status;
    }),
  );
  expect(statuses).toEqual(['finished', 'finished', 'finished']);
  const store = new FsStore({ directory: join('workspace', 'conversations') });
  const { items } = await store.list();
  expect(items.map(({ id }) => id).sort()).toEqual(made.map(({ id }) => id).sort());
  await store.close();
});
