import { expect, test } from 'vitest';
import type { JsonObject } from '@conv/core/events';
import { systemPlatform } from '@conv/core/platform';
import { textContent } from '@conv/core/events';
import {
  call,
  createModelServer,
  drop,
  fail,
  hang,
  type ModelServer,
  nonsense,
  say,
  type Script,
  type Turn,
} from '@conv/testing-model-server';
import {
  anthropic,
  createAgent,
  createAgentFactory,
  modelFromDescription,
  type Model,
  openai,
  openaiCompatible,
  withFallbacks,
} from '../../../src/index.ts';
import { complete, type CompletionRequest } from '../../../src/model/completion/complete.ts';
import { startBench } from '../../support/bench.ts';
import { scriptedModel } from '../../support/scripted-model.ts';
import { look } from '../../support/tools.ts';
import { offerTool } from '../../../src/tools/offered-tool.ts';

const KEYS = { first: 'sk-first-0123456789', second: 'sk-second-0123456789' };
const atOnce = { attempts: 2, sleep: async (): Promise<void> => {} };

function question(more: Partial<CompletionRequest> = {}): CompletionRequest {
  const messages = [{ role: 'user' as const, content: [textContent('Hello')], thinking_blocks: [] }];
  return { platform: systemPlatform, messages, usageId: 'agent', signal: new AbortController().signal, ...more };
}

interface Pair extends AsyncDisposable {
  readonly model: Model;
  readonly first: ModelServer;
  readonly second: ModelServer;
}

/** A model behind one server and its fallback behind another. */
async function pair(first: Script, second: Script, timeout = 5000): Promise<Pair> {
  const servers = await Promise.all([createModelServer({ script: first }), createModelServer({ script: second })]);
  const modelAt = (index: 0 | 1): Model =>
    openaiCompatible(index === 0 ? 'first' : 'second', {
      baseUrl: servers[index].url,
      apiKey: index === 0 ? KEYS.first : KEYS.second,
      retry: atOnce,
      timeout,
      price: { input: index === 0 ? 1000 : 2000, output: 0 },
    });
  return {
    model: withFallbacks(modelAt(0), [modelAt(1)]),
    first: servers[0],
    second: servers[1],
    [Symbol.asyncDispose]: async () => void (await Promise.all(servers.map((server) => server.close()))),
  };
}

function times(turn: Turn, count: number): Turn[] {
  return Array.from({ length: count }, () => turn);
}

test.each([
  ['too many requests', fail(429)],
  ['an outage', fail(503)],
  ['an internal error', fail(500)],
  ['a gateway timeout', fail(504)],
  ['a cut connection', drop()],
  ['silence', hang()],
  ['an answer without choices', nonsense('{"id":"x","created":1,"model":"m","choices":[]}')],
])('%s is met by the fallback after all tries, and counted for the model that answered', async (what, turn) => {
  // a busy machine may take long to bring an answer, which is not what this is about
  const patience = what === 'silence' ? 2500 : 100_000;
  await using both = await pair(times(turn, 2), [say('Here.', { usage: { promptTokens: 1000 } })], patience);
  const { message, record } = await complete(both.model, question());
  expect(message.content).toMatchObject([{ text: 'Here.' }]);
  expect([both.first.requests.length, both.second.requests.length]).toEqual([2, 1]);
  expect(record).toMatchObject({ usageId: 'agent', model: 'openai/second', cost: 2 });
});

test.each([
  ['a refused key', fail(401), 'AUTHENTICATION'],
  ['a wrong request', fail(400), 'BAD_REQUEST'],
  ['a long history', fail(400, { code: 'context_length_exceeded' }), 'CONTEXT_WINDOW_EXCEEDED'],
  ['no credit', fail(402), 'QUOTA'],
])('%s is not met by another model', async (_, turn, code) => {
  await using both = await pair([turn], [say('no')]);
  await expect(complete(both.model, question())).rejects.toMatchObject({ code });
  expect(both.second.requests).toEqual([]);
});

test('P13: the error is the first one when all models fail, says why the others failed, and holds no key', async () => {
  const refusal = fail(401, { message: `Incorrect API key provided: ${KEYS.second}` });
  await using both = await pair(times(fail(503, { message: 'overloaded' }), 2), [refusal]);
  const error: unknown = await complete(both.model, question()).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'UNAVAILABLE', status: 503, retryable: true, cause: expect.any(Error) as Error });
  expect(String(error)).toMatch(/openai\/first.*overloaded.*fallbacks failed too.*\[AUTHENTICATION\] openai\/second/);
  expect(String(error)).not.toContain(KEYS.second);
});

test('fallbacks are asked in their order, those of a fallback behind them', async () => {
  await using server = await createModelServer({
    script: ({ model }) => (model === 'd' ? say('Here.') : fail(503)),
  });
  const modelOf = (id: string): Model => openaiCompatible(id, { baseUrl: server.url, retry: { attempts: 1 } });
  const model = withFallbacks(modelOf('a'), [withFallbacks(modelOf('b'), [modelOf('c')]), modelOf('d')]);
  await complete(model, question());
  expect(server.requests.map((request) => request.model)).toEqual(['a', 'b', 'c', 'd']);
  expect(withFallbacks(model, []).fallbacks).toBeUndefined();
});

test('text of a broken stream is void: attempts are counted over all models', async () => {
  const broken = drop('mid-stream', say(['a', 'b', 'c', 'd', 'e', 'f']));
  await using both = await pair(times(broken, 2), [broken, say(['x', 'y'])]);
  const seen = new Map<number, string>();
  const onDelta: CompletionRequest['onDelta'] = ({ text }, attempt) =>
    void seen.set(attempt, `${seen.get(attempt) ?? ''}${text}`);
  const { message } = await complete(both.model, question({ onDelta }));
  expect(message.content).toMatchObject([{ text: 'xy' }]);
  expect([...seen.keys()]).toEqual([1, 2, 3, 4]);
  expect(seen.get(4)).toBe('xy');
});

test('P7: an abort ends it with its reason; no fallback is asked', async () => {
  await using both = await pair([hang()], [say('no')]);
  const controller = new AbortController();
  const reason = new Error('enough');
  const asking = Promise.allSettled([complete(both.model, question({ signal: controller.signal }))]);
  await both.first.request(0);
  controller.abort(reason);
  expect(await asking).toEqual([{ status: 'rejected', reason }]);
  expect(both.second.requests).toEqual([]);
});

test('a fallback that speaks another protocol takes up a tool loop, and the first model takes it back', async () => {
  await using first = await createModelServer({
    script: [call('look', { what: 'a' }, { reasoning: 'first thought' }), fail(503), say('Done.')],
  });
  await using second = await createModelServer({
    script: [call('look', { what: 'b' }, { reasoning: 'second thought', id: 'toolu_b' })],
  });
  const model = withFallbacks(openai('gpt-5', { apiKey: 'k', baseUrl: first.url, retry: { attempts: 1 } }), [
    anthropic('claude-opus-4-1', { apiKey: 'k', baseUrl: second.url }),
  ]);
  await using bench = await startBench(createAgent({ model, tools: [look] }));
  bench.say('Look');
  await bench.run();
  expect(bench.records.map((record) => [record.usageId, record.model])).toEqual([
    ['default', 'openai/gpt-5'],
    ['default', 'anthropic/claude-opus-4-1'],
    ['default', 'openai/gpt-5'],
  ]);
  expect([...first.violations, ...second.violations]).toEqual([]);
  const assistant = first.requests[2]?.messages.filter(({ role }) => role === 'assistant');
  expect(assistant?.map(({ reasoning }) => reasoning)).toEqual(['first thought', undefined]);
});

test('fallbacks are described with their keys as secrets and built again, by others left alone', () => {
  const model = withFallbacks(openai('gpt-5', { apiKey: KEYS.first }), [
    anthropic('claude-opus-4-1', { apiKey: KEYS.second }),
  ]);
  const agent = createAgent({ model });
  expect(agent.secretValues?.()).toEqual(expect.arrayContaining([KEYS.first, KEYS.second]));
  expect(agent.describe()).toMatchObject({
    llm: { fallbacks: [{ model: 'anthropic/claude-opus-4-1', api_key: '**********' }] },
  });
  const again = modelFromDescription(agent.describe({ secrets: 'plain' })['llm'] as JsonObject);
  expect(again.fallbacks?.map(({ name, api }) => [name, api])).toEqual([['anthropic/claude-opus-4-1', 'messages']]);
});

test('the caller may make the models of a stored agent, its fallbacks too', async () => {
  const named = (name: string): Model => scriptedModel([], { name });
  const agent = createAgent({ model: withFallbacks(named('mine/first'), [named('mine/second')]) });
  const asked: unknown[] = [];
  const factory = createAgentFactory({
    model: ({ model }) => {
      asked.push(model);
      return named(model as string);
    },
  });
  const again = await factory.revive(agent.describe());
  expect(asked).toEqual(['mine/first', 'mine/second']);
  expect(again?.describe()).toEqual(agent.describe());
});

test('P13: a fallback must be a model', () => {
  expect(() => withFallbacks(openai('gpt-5', { apiKey: 'k' }), ['gpt-4' as never])).toThrow(TypeError);
  expect(() => createAgent({ model: { languageModel: {}, secrets: () => ({}) } as never })).toThrow(TypeError);
});

test('a side question names the tools only to a provider that asks for them', async () => {
  await using first = await createModelServer({ script: [fail(503)] });
  await using second = await createModelServer({ script: [say('Fine.')] });
  const model = withFallbacks(openaiCompatible('m', { baseUrl: first.url, retry: { attempts: 1 } }), [
    anthropic('claude-opus-4-1', { apiKey: 'k', baseUrl: second.url }),
  ]);
  const tools = [offerTool(look).definition];
  await complete(model, question({ tools, mayCall: false }));
  expect([first.requests[0]?.tools.length, second.requests[0]?.tools.length]).toEqual([0, 1]);
});
