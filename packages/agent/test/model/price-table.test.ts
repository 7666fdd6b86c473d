import { expect, test } from 'vitest';
import { openaiCompatible, type ModelOptions } from '../../src/index.ts';
import { callRecord, type CallFacts } from '../../src/model/completion/call-record.ts';
import { contextWindowOf } from '../../src/model/context-window.ts';
import { listPrice, listedContextWindow } from '../../src/model/price-table.ts';

const MILLION = 1_000_000;
const tokens = { promptTokens: 100_000, completionTokens: 10_000, cacheReadTokens: 40_000, cacheWriteTokens: 0 };

test('prices are those of the public table, with what was read from and written to a cache', async () => {
  // 2.50, 1.25 and 10 dollars for a million
  expect(await listPrice('openai/gpt-4o', tokens)).toBeCloseTo((60_000 * 2.5 + 40_000 * 1.25 + 10_000 * 10) / MILLION);
  // 15, 1.50, 18.75 and 75
  expect(await listPrice('anthropic/claude-opus-4-1', { ...tokens, cacheWriteTokens: 10_000 })).toBeCloseTo(
    (50_000 * 15 + 40_000 * 1.5 + 10_000 * 18.75 + 10_000 * 75) / MILLION,
  );
});

test('a long prompt costs what its tier says', async () => {
  const ofPrompt = async (promptTokens: number): Promise<number> =>
    (await listPrice('gemini/gemini-2.5-pro', {
      ...tokens,
      promptTokens,
      completionTokens: 0,
      cacheReadTokens: 0,
    })) ?? 0;
  expect((await ofPrompt(400_000)) / 400_000).toBeGreaterThan((await ofPrompt(100_000)) / 100_000);
});

test.each([
  'openai/gpt-4o',
  'gpt-4o',
  'azure/gpt-4o',
  'gemini/gemini-2.5-pro',
  'google/gemini-2.5-pro',
  'deepseek/deepseek-chat',
  'moonshot/kimi-k2.5',
  'xai/grok-4',
  'mistral/mistral-large-latest',
  'groq/openai/gpt-oss-120b',
  'openrouter/anthropic/claude-sonnet-4.5',
  'bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0',
  'litellm_proxy/anthropic/claude-opus-4-1',
  'openai/anthropic/claude-opus-4-1',
])('%s is found under its provider', async (name) => {
  expect(await listPrice(name, tokens)).toBeGreaterThan(0);
});

test.each(['openai/my-own-model', 'openai/qwen3', 'scripted/model', 'm', '', '/', 'openai/', '__proto__/constructor'])(
  'the price of %j is unknown',
  async (name) => {
    expect(await listPrice(name, tokens)).toBeUndefined();
    expect(await listedContextWindow(name)).toBeUndefined();
  },
);

test('counts that do not fit together are no reason to fail: what is cached is part of the prompt', async () => {
  const odd = { promptTokens: 10, completionTokens: 0, cacheReadTokens: 40_000, cacheWriteTokens: 1000 };
  expect(await listPrice('openai/gpt-4o', odd)).toBeGreaterThan(0);
});

const facts: CallFacts = {
  usageId: 'u',
  usage: {
    inputTokens: { total: 100_000, noCache: 100_000, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 0, text: 0, reasoning: 0 },
  },
  responseId: 'r',
  startedAt: 0,
  endedAt: 1,
};

function recordOf(id: string, options: ModelOptions = {}): ReturnType<typeof callRecord> {
  return callRecord(openaiCompatible(id, { baseUrl: 'http://127.0.0.1:1/v1', ...options }), facts);
}

test('a given price wins, also a price of 0; an unknown model costs 0', async () => {
  expect((await recordOf('gpt-4o')).cost).toBeCloseTo(0.25);
  expect((await recordOf('gpt-4o', { price: { input: 1, output: 1 } })).cost).toBeCloseTo(0.1);
  expect((await recordOf('gpt-4o', { price: { input: 0, output: 0 } })).cost).toBe(0);
  expect((await recordOf('my-own-model')).cost).toBe(0);
});

test('a given context window wins; otherwise it is the public one, or unknown', async () => {
  const at = (id: string, contextWindow?: number): Promise<number | undefined> =>
    contextWindowOf({ name: `openai/${id}`, ...(contextWindow === undefined ? {} : { contextWindow }) });
  expect(await Promise.all([at('gpt-4o'), at('gpt-4o', 1000), at('my-own-model')])).toEqual([128_000, 1000, undefined]);
  const records = await Promise.all([recordOf('gpt-4o'), recordOf('my-own-model')]);
  expect(records.map(({ contextWindow }) => contextWindow)).toEqual([128_000, 0]);
});
