import { join } from 'node:path';
import { Writable } from 'node:stream';

import { createAgent, openaiCompatible } from '@conv/agent';
import { createConversationFactory, type Conversation } from '@conv/core';
import { toEventIndex } from '@conv/core/store';
import { local } from '@conv/local';
import { FsStore } from '@conv/persist-fs';
import { createSecretVault } from '@conv/secrets';
import { createModelServer, say, type ModelServer } from '@conv/testing-model-server';
import { TerminalVisualizer, type VisualizerMode } from '@conv/visualize';
import { expect, onTestFinished, test } from 'vitest';

import { newFolder } from '../new-folder.ts';
import { canaries } from './canaries.ts';
import { Carrier } from './carrier.ts';
import { canaryValues } from './canaries.ts';
import { filesNow } from './folder-samples.ts';
import { Searcher } from './searcher.ts';
import { nameOf } from './ways.ts';

const carrier = new Carrier(canaryValues);
const searcher = new Searcher(canaries);

/** Makes a conversation in which every value was said before it was known as a secret, and the model's server. */
async function earlierConversation(): Promise<{
  readonly conversation: Conversation;
  readonly server: ModelServer;
  readonly folder: string;
}> {
  const server = await createModelServer({
    script: [say(carrier.all('said'), { reasoning: carrier.all('reasoning') }), say('second'), say('third')],
  });
  onTestFinished(() => server.close());
  const folder = newFolder();
  const make = createConversationFactory({
    runtimes: [local({ storeAt: (directory) => new FsStore({ directory }), secrets: createSecretVault })],
  });
  const conversation = await make({
    agent: createAgent({ model: openaiCompatible('scripted-model', { baseUrl: server.url }) }),
    workspace: join(folder, 'workspace'),
    persistenceDir: join(folder, 'conversations'),
    title: carrier.one('title', 'plain-token'),
  });
  onTestFinished(() => conversation.close());
  await conversation.sendMessage(carrier.all('message'));
  await conversation.run();
  await conversation.settings.updateSecrets(
    Object.fromEntries(carrier.ids().map((id) => [nameOf(id), carrier.value(id)])),
  );
  return { conversation, server, folder };
}

function findingsIn(value: string | object): readonly string[] {
  const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  return searcher.search(bytes).map(({ id, form, around }) => `${id}, ${form}: …${around}`);
}

test('P9: a text stored before it was known to be secret stays in its files, and no later event repeats it', async () => {
  const { conversation, folder } = await earlierConversation();
  const { length } = conversation.events;
  await conversation.sendMessage(carrier.all('later'));
  await conversation.run();
  await conversation.close();
  const files = filesNow(folder).filter(({ file }) => file.includes('/events/event-'));
  const isLater = (file: string): boolean => Number(/event-(\d+)-/.exec(file)?.[1]) >= length;
  const holding = files.filter(({ bytes }) => searcher.search(bytes).length > 0).map(({ file }) => file);
  expect(files.filter(({ file }) => isLater(file)).length).toBeGreaterThan(1);
  expect(holding.filter(isLater)).toEqual([]);
  // the message and its answer, immutable as every event
  expect(holding).toHaveLength(2);
});

test('P9: events, messages and answers do not show a value that became a secret later', async () => {
  const { conversation } = await earlierConversation();
  const { state, events } = conversation;
  const shown: unknown[] = [await state.conversationHistory(), await conversation.finalResponse()];
  for await (const event of events) shown.push(event);
  shown.push(await events.branch(), await events.at(1), await events.slice(0));
  expect(JSON.stringify(shown)).toContain('@message/plain-token=<secret-hidden>');
  expect(findingsIn(shown)).toEqual([]);
});

test('P9: commits and earlier states do not show a value that became a secret later', async () => {
  const { history } = (await earlierConversation()).conversation;
  const shown: unknown[] = [];
  for await (const commit of history.commits()) shown.push(commit);
  for await (const { state, commit } of history.replay()) shown.push({ title: state.title, commit });
  expect(findingsIn(shown)).toEqual([]);
});

test('P9: the state does not show a value that became a secret later', async () => {
  const { state } = (await earlierConversation()).conversation;
  expect(findingsIn({ title: state.title, tags: state.tags })).toEqual([]);
});

test('P9: neither the next run nor a question shows the model a value that became a secret later', async () => {
  const { conversation, server } = await earlierConversation();
  await conversation.sendMessage('go on');
  await conversation.run();
  await conversation.askAgent('what was said?');
  const bodies = server.requests.slice(1).map(({ body }) => body);
  expect(bodies).toHaveLength(2);
  expect(JSON.stringify(bodies)).toContain('@said/plain-token=<secret-hidden>');
  expect(findingsIn(bodies)).toEqual([]);
});

test.each<VisualizerMode>(['normal', 'json'])('P9: a replay in a terminal does not show it (%s)', async (mode) => {
  const { conversation } = await earlierConversation();
  let written = '';
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      written += chunk.toString();
      done();
    },
  });
  const replay = conversation.subscribe(new TerminalVisualizer({ stream, mode, maxOutputLines: Infinity }), {
    from: toEventIndex(0),
  });
  await replay.caughtUp(toEventIndex(conversation.events.length));
  expect(written).toContain('<secret-hidden>');
  expect(findingsIn(written)).toEqual([]);
});
