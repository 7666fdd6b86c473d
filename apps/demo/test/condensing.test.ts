import { join } from 'node:path';

import { anthropic, createAgent, llmSummarizingCondenser, openai, openaiCompatible, type Model } from '@conv/agent';
import { isEvent } from '@conv/core/events';
import { openLocalConversation, type LocalConversation, type LocalConversationOptions } from '@conv/local';
import { FsStore } from '@conv/persist-fs';
import { calls, createModelServer, say, type ModelRequest, type Turn } from '@conv/testing-model-server';
import { expect, onTestFinished, test } from 'vitest';

import { newFolder } from './new-folder.ts';

const ROUNDS = 30;
const MAX_SIZE = 16;

const models: readonly (readonly [string, (url: string) => Model])[] = [
  ['Chat Completions', (baseUrl) => openaiCompatible('scripted-model', { baseUrl })],
  ['Responses', (baseUrl) => openai('gpt-5-scripted', { baseUrl, apiKey: 'any', api: 'responses' })],
  ['Messages', (baseUrl) => anthropic('claude-scripted', { baseUrl, apiKey: 'any' })],
];

/** Thinks aloud in batches of one to three calls, with reasoning before some, until it is told that enough is enough. */
function thinker(): (request: ModelRequest) => Turn {
  let round = 0;
  let notes = 0;
  return ({ tools }) => {
    if (tools.length === 0) return say(`notes no. ${++notes}`);
    round += 1;
    if (round > ROUNDS) return say('Thought enough.');
    const batch = Array.from({ length: 1 + (round % 3) }, (_, at) => ({
      name: 'think',
      arguments: { thought: `thought ${round}.${at}` },
    }));
    return calls(batch, round % 4 === 0 ? { reasoning: `why ${round}` } : {});
  };
}

test.each(models)(
  'long work with %s goes through many condensations, restarts included, and no request breaks a rule',
  async (_, modelAt) => {
    const server = await createModelServer({ script: thinker() });
    onTestFinished(() => server.close());
    const persistenceDir = join(newFolder(), 'conversations');
    const condenser = llmSummarizingCondenser({ maxSize: MAX_SIZE, keepFirst: 2 });
    const agent = createAgent({ model: modelAt(server.url), condenser });
    const runtime = { storeAt: (directory: string) => new FsStore({ directory }) };
    // a subscriber to tokens makes the model stream
    const given = { agent, persistenceDir, workspace: newFolder(), subscribers: [{ onToken: () => {} }] };
    const open = (options: LocalConversationOptions): Promise<LocalConversation> =>
      openLocalConversation(runtime, { ...options, ...given });
    let conversation = await open({ create: 'must' });
    const { id } = conversation;
    await conversation.sendMessage('Think for long.');
    for (let part = 0; part < 3; part++) {
      await conversation.run({ maxIterations: ROUNDS / 3 });
      const view = await conversation.state.modelView();
      await conversation.close();
      conversation = await open({ id, create: 'never' });
      expect(await conversation.state.modelView()).toEqual(view);
    }
    expect((await conversation.run()).status).toBe('finished');
    expect(server.violations).toEqual([]);
    const events = await conversation.events.slice();
    const condensations = events.filter((event) => isEvent(event, 'Condensation'));
    expect(condensations.length).toBeGreaterThan(7);
    const longest = Math.max(...server.requests.map(({ messages }) => messages.length));
    expect(longest).toBeLessThanOrEqual(MAX_SIZE + 6);
    expect(conversation.state.stats['condenser']?.calls).toBe(condensations.length);
    expect(events.filter((event) => isEvent(event, 'ActionEvent')).length).toBeGreaterThan(ROUNDS);
    await conversation.close();
  },
);

test('P8: a side question during a run is asked about what the model reads now, after condensations', async () => {
  const asked = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const think = thinker();
  let rounds = 0;
  const server = await createModelServer({
    script: async (request) => {
      if (request.messages.at(-1)?.text.includes('How far are you?') === true) return say('Round 20.');
      if (request.tools.length > 0 && ++rounds === 20) {
        asked.resolve();
        await goOn.promise;
      }
      return think(request);
    },
  });
  onTestFinished(() => server.close());
  const condenser = llmSummarizingCondenser({ maxSize: MAX_SIZE, keepFirst: 2 });
  const agent = createAgent({ model: openaiCompatible('scripted-model', { baseUrl: server.url }), condenser });
  const conversation = await openLocalConversation(
    { storeAt: (directory) => new FsStore({ directory }) },
    { agent, persistenceDir: join(newFolder(), 'conversations'), workspace: newFolder() },
  );
  onTestFinished(() => conversation.close());
  await conversation.sendMessage('Think for long.');
  const running = conversation.run();
  await asked.promise;
  const before = [conversation.events.length, JSON.stringify(conversation.state.stats)];
  const { text, record } = await conversation.askAgent('How far are you?');
  expect([text, record.usageId]).toEqual(['Round 20.', 'ask-agent-llm']);
  expect([conversation.events.length, JSON.stringify(conversation.state.stats)]).toEqual(before);
  const step = server.requests.at(-2);
  const question = server.requests.at(-1);
  // the step that is under way read the same, and the question comes behind it
  expect(question?.messages.slice(0, -1).map((message) => message.text)).toEqual(
    step?.messages.map((message) => message.text),
  );
  const read = question?.messages.map((message) => message.text).join('\n') ?? '';
  expect(read).toContain('notes no.');
  expect(JSON.stringify(question?.body)).toContain('thought 19.');
  expect(JSON.stringify(question?.body)).not.toContain('thought 3.');
  goOn.resolve();
  expect((await running).status).toBe('finished');
  expect(server.violations).toEqual([]);
});
