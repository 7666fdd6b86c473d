import { describe, expect, test } from 'vitest';
import { isLlmError, LlmError, modelFromEnvironment } from '../../../src/index.ts';

const key = { LLM_API_KEY: 'sk-test-0123456789' };

describe('P13: a missing or wrong setting is CONFIG, and the message names it', () => {
  test.each([
    [{}, 'LLM_MODEL'],
    [{ ...key, LLM_MODEL: '  ' }, 'LLM_MODEL'],
    [{ LLM_MODEL: 'openai/gpt-5' }, 'LLM_API_KEY'],
    [{ LLM_MODEL: 'anthropic/claude-opus-4-1', LLM_API_KEY: '' }, 'LLM_API_KEY'],
    [{ ...key, LLM_MODEL: 'nobody/model' }, 'nobody'],
    [{ ...key, LLM_MODEL: 'openai/gpt-5', LLM_BASE_URL: 'localhost:8080' }, 'LLM_BASE_URL is not an http(s) URL'],
    [
      { ...key, LLM_MODEL: 'm', LLM_BASE_URL: 'http://127.0.0.1:1/v1/chat/completions' },
      'LLM_BASE_URL ends in /chat/completions',
    ],
    [
      { ...key, LLM_MODEL: 'm', LLM_BASE_URL: 'https://api.host.example/v1/messages/' },
      'LLM_BASE_URL ends in /messages/',
    ],
    [
      { ...key, LLM_MODEL: 'm', LLM_BASE_URL: `https://user:${key.LLM_API_KEY}@host.example/v1` },
      'LLM_BASE_URL holds a name or a password',
    ],
    [
      { ...key, LLM_MODEL: 'm', LLM_BASE_URL: `https://host.example/v1?key=${key.LLM_API_KEY}` },
      'LLM_BASE_URL has a query',
    ],
    [{ ...key, LLM_MODEL: 'openai/gpt-5', LLM_PRICE_INPUT: 'cheap' }, 'LLM_PRICE_INPUT'],
  ])('%j names %s', (environment, named) => {
    const build = (): unknown => modelFromEnvironment(environment);
    expect(build).toThrow(LlmError);
    expect(build).toThrow(named);
    expect(build).toThrow('[CONFIG]');
    expect(build).not.toThrow(key.LLM_API_KEY);
  });
});

test.each([
  ['openai/gpt-4o', 'openai/gpt-4o', 'chat', 'gpt-4o'],
  ['openai/gpt-5.5', 'openai/gpt-5.5', 'responses', 'gpt-5.5'],
  ['gpt-4o', 'openai/gpt-4o', 'chat', 'gpt-4o'],
  ['anthropic/claude-opus-4-1', 'anthropic/claude-opus-4-1', 'messages', 'claude-opus-4-1'],
  ['gemini/gemini-3-pro', 'gemini/gemini-3-pro', 'gemini', 'gemini-3-pro'],
  ['google/gemini-3-pro', 'gemini/gemini-3-pro', 'gemini', 'gemini-3-pro'],
  ['openrouter/openai/gpt-4o', 'openrouter/openai/gpt-4o', 'chat', 'openai/gpt-4o'],
  ['deepseek/deepseek-chat', 'deepseek/deepseek-chat', 'chat', 'deepseek-chat'],
])('%s is known as %s, spoken to in %s, and sent as %s', (LLM_MODEL, name, api, modelId) => {
  const model = modelFromEnvironment({ ...key, LLM_MODEL });
  expect(model).toMatchObject({ name, api, languageModel: { modelId } });
});

test.each([
  ['openai/qwen3', 'openai/qwen3', 'qwen3'],
  ['qwen3', 'openai/qwen3', 'qwen3'],
  ['anthropic/claude-opus-4-1', 'openai/anthropic/claude-opus-4-1', 'anthropic/claude-opus-4-1'],
  ['litellm_proxy/team/model', 'litellm_proxy/team/model', 'team/model'],
])('a model behind a base URL %s is known as %s and sent as %s, with no key needed', (LLM_MODEL, name, modelId) => {
  const model = modelFromEnvironment({ LLM_MODEL, LLM_BASE_URL: 'http://127.0.0.1:1/v1' });
  expect(model).toMatchObject({
    name,
    api: 'chat',
    languageModel: { modelId },
    description: { base_url: 'http://127.0.0.1:1/v1' },
  });
});

test('price and context window come from the environment alone', () => {
  const model = modelFromEnvironment({
    ...key,
    LLM_MODEL: 'openai/gpt-4o',
    LLM_PRICE_INPUT: '2.5',
    LLM_PRICE_OUTPUT: '10',
    LLM_CONTEXT_WINDOW: '128000',
  });
  expect(model).toMatchObject({ price: { input: 2.5, output: 10 }, contextWindow: 128_000 });
  expect(modelFromEnvironment({ ...key, LLM_MODEL: 'openai/gpt-4o' })).not.toHaveProperty('price');
});

test('printing a model shows no key', () => {
  const model = modelFromEnvironment({ ...key, LLM_MODEL: 'openai/gpt-4o' });
  expect(JSON.stringify(model)).not.toContain(key.LLM_API_KEY);
});

test('an LlmError from another copy of the package is recognised, another error is not', () => {
  const foreign = new Error('x');
  Object.defineProperty(foreign, Symbol.for('conv.llm.error'), { value: true });
  expect(isLlmError(foreign)).toBe(true);
  expect(isLlmError(new Error('x'))).toBe(false);
  expect(isLlmError(new LlmError('TIMEOUT', 'x'), 'RATE_LIMIT')).toBe(false);
});
