import { describe, expect, test } from 'vitest';
import { call, createModelServer, hang, type ModelServer, say, type Script } from '@conv/testing-model-server';
import {
  anthropic,
  createAgent,
  type Model,
  openai,
  openaiCompatible,
  type OpenaiOptions,
  withFallbacks,
  llmSummarizingCondenser,
} from '../../src/index.ts';
import { forConversation } from '../../src/model/for-conversation.ts';
import { type Bench, startBench } from '../support/bench.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { look } from '../support/tools.ts';

const KEY = 'sk-test-0123456789';
const ID = '0197b5a0-0000-7000-8000-000000000001';

/** Two servers that each play a script, and a bench whose agent asks the first. */
async function stage(
  first: Script,
  second: Script,
): Promise<{ readonly bench: Bench; readonly servers: readonly [ModelServer, ModelServer] } & AsyncDisposable> {
  const servers = await Promise.all([createModelServer({ script: first }), createModelServer({ script: second })]);
  const model = openai('gpt-5', { apiKey: KEY, baseUrl: servers[0].url });
  const bench = await startBench(createAgent({ model, tools: [look], usageId: 'mine' }), { conversationId: ID });
  return {
    bench,
    servers,
    [Symbol.asyncDispose]: async () => {
      await bench[Symbol.asyncDispose]();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

/** The agent of the stage with another model. */
function another(model: Model): ReturnType<typeof createAgent> {
  return createAgent({ model: scriptedModel([]), tools: [look], usageId: 'mine' }).withModel(model);
}

describe('a session that continues as an agent with another model', () => {
  test('a session asks the other model from the next step on, by its own protocol and usage id', async () => {
    await using at = await stage(
      [call('look', { what: 'a' }, { reasoning: 'for OpenAI alone', text: 'Looking.' })],
      [call('look', { what: 'b' }, { id: 'toolu_b' }), say('Done.')],
    );
    const { bench, servers } = at;
    bench.say('Look');
    await bench.step();
    bench.session.switchTo?.(
      another(anthropic('claude-opus-4-1', { apiKey: KEY, baseUrl: servers[1].url, usageId: 'profile:careful' })),
    );
    await bench.executePending();
    await bench.run();
    expect(servers.map(({ violations }) => violations)).toEqual([[], []]);
    expect(bench.records.map(({ usageId, model }) => [usageId, model])).toEqual([
      ['mine', 'openai/gpt-5'],
      ['profile:careful', 'anthropic/claude-opus-4-1'],
      ['profile:careful', 'anthropic/claude-opus-4-1'],
    ]);
    expect(servers[1].requests[0]?.tools.map(({ name }) => name)).toEqual(['look', 'finish', 'think']);
    expect(JSON.stringify(servers[1].requests[0]?.body)).not.toContain('for OpenAI alone');
  });

  test("a session asks the other model side questions too, and counts it under the agent's usage id", async () => {
    await using at = await stage([], [say('Fine.'), say('Done.')]);
    const { bench, servers } = at;
    bench.session.switchTo?.(another(openaiCompatible('m', { baseUrl: servers[1].url })));
    bench.say('Hi');
    const { signal } = new AbortController();
    const { record } = await bench.session.answer('How is it?', bench.events, signal);
    await bench.run();
    expect([record.usageId, record.model]).toEqual(['ask-agent-llm', 'openai/m']);
    expect(bench.records.map(({ usageId }) => usageId)).toEqual(['mine']);
  });

  test('a session that continues with another model leaves a request alone that is under way', async () => {
    await using at = await stage([hang()], [say('From the second.')]);
    const { bench, servers } = at;
    bench.say('Hi');
    const controller = new AbortController();
    const stepping = bench.step(controller.signal).catch((error: unknown) => error);
    const request = await servers[0].request(0);
    bench.session.switchTo?.(another(openaiCompatible('m', { baseUrl: servers[1].url })));
    controller.abort(new Error('enough'));
    expect(await stepping).toEqual(new Error('enough'));
    expect(await request.outcome).toBe('client-gone');
    await bench.run();
    expect(bench.ofKind('MessageEvent').at(-1)?.llm_message.content).toMatchObject([{ text: 'From the second.' }]);
  });

  test('P13: a session does not go on as an agent of another package', async () => {
    await using at = await stage([], []);
    expect(() => at.bench.session.switchTo?.({ ...another(scriptedModel([])) })).toThrow(TypeError);
  });
});

describe('prompts of one conversation are kept together by its id', () => {
  const keyIn = ({ requests }: ModelServer): unknown[] => requests.map(({ body }) => body['prompt_cache_key']);

  test.each(['chat', 'responses'] as const)(
    'prompts share the id at OpenAI, in %s, for steps and side questions',
    async (api) => {
      await using server = await createModelServer({ script: () => say('Fine.') });
      const model = openai('gpt-5', { apiKey: KEY, baseUrl: server.url, api });
      await using bench = await startBench(createAgent({ model }), { conversationId: ID });
      bench.say('Hi');
      await bench.run();
      await bench.session.answer('How is it?', bench.events, new AbortController().signal);
      expect(keyIn(server)).toEqual([ID, ID]);
      expect(server.violations).toEqual([]);
    },
  );

  test('prompts share the id after a switch and for fallbacks, and a fork has its own id', async () => {
    await using server = await createModelServer({
      script: ({ model }) => (model === 'broken' ? { status: 503 } : say('Fine.')),
    });
    const modelOf = (id: string, options: Partial<OpenaiOptions> = {}): Model =>
      openai(id, { apiKey: KEY, baseUrl: server.url, api: 'chat', retry: { attempts: 1 }, ...options });
    const agent = createAgent({ model: modelOf('first') });
    await using bench = await startBench(agent, { conversationId: ID });
    bench.session.switchTo?.(agent.withModel(withFallbacks(modelOf('broken'), [modelOf('second')])));
    bench.say('Hi');
    await bench.run();
    await using fork = await startBench(agent, { conversationId: 'fork' });
    fork.say('Hi');
    await fork.run();
    expect(keyIn(server)).toEqual([ID, ID, 'fork']);
  });

  test('prompts share the id for a condenser with a model of its own', async () => {
    await using server = await createModelServer({ script: () => say('Fine.') });
    const modelOf = (id: string): Model => openai(id, { apiKey: KEY, baseUrl: server.url, api: 'chat' });
    const condenser = llmSummarizingCondenser({ model: modelOf('notes'), maxSize: 10, keepFirst: 1 });
    await using bench = await startBench(createAgent({ model: modelOf('first'), condenser }), { conversationId: ID });
    for (let number = 1; number <= 12; number += 1) bench.say(`Message ${number}`);
    await bench.step();
    expect(server.requests.map(({ model }) => model)).toEqual(['notes']);
    expect(keyIn(server)).toEqual([ID]);
  });

  test('prompts share the id unless settings name another key, and only where servers know the member', async () => {
    await using server = await createModelServer({ script: () => say('Fine.') });
    const own = { providerOptions: { openai: { promptCacheKey: 'own' } } };
    for (const model of [
      openai('m', { apiKey: KEY, baseUrl: server.url, api: 'chat', settings: own }),
      openaiCompatible('m', { baseUrl: server.url }),
      anthropic('claude-opus-4-1', { apiKey: KEY, baseUrl: server.url }),
    ]) {
      await using bench = await startBench(createAgent({ model }), { conversationId: ID });
      bench.say('Hi');
      await bench.run();
    }
    expect(keyIn(server)).toEqual(['own', undefined, undefined]);
    expect(JSON.stringify(server.requests[2]?.body)).toContain('"cache_control":{"type":"ephemeral"}');
    const atOpenai = openaiCompatible('gpt-4o', { baseUrl: 'https://api.openai.com/v1', apiKey: KEY });
    expect(forConversation(atOpenai, ID).settings?.providerOptions).toEqual({
      openaiCompatible: { prompt_cache_key: ID },
    });
  });
});

test('a provider that gives no answer is asked the same again: a temperature of 0 stays 0', async () => {
  const empty = { raw: '{"id":"x","created":1,"model":"m","choices":[]}' };
  await using server = await createModelServer({ script: [empty, empty, say('At last.')] });
  const model = openaiCompatible('m', {
    baseUrl: server.url,
    settings: { temperature: 0 },
    retry: { sleep: async () => {} },
  });
  await using bench = await startBench(createAgent({ model }));
  bench.say('Hi');
  await bench.run();
  expect(server.requests.map(({ body }) => body['temperature'])).toEqual([0, 0, 0]);
});
