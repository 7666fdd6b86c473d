import type { JsonObject } from '@conv/core/events';
import { expect, test } from 'vitest';
import {
  anthropic,
  createAgent,
  google,
  modelFromDescription,
  modelFromEnvironment,
  openai,
  openaiCompatible,
  storedModel,
} from '../../../src/index.ts';

const KEY = 'sk-test-0123456789';

test('a stored model that cannot be asked keeps its description and the secrets that can be read', () => {
  const llm = {
    model: 'bedrock/claude',
    usage_id: 'mine',
    api_key: 'sk-0123456789',
    aws_secret_access_key: 'aws-0123456789',
    aws_region_name: 'eu-west-1',
    base_url: '',
    temperature: 0.5,
    native_tool_calling: true,
  };
  const model = storedModel(llm);
  expect(model.secrets()).toEqual({ api_key: 'sk-0123456789', aws_secret_access_key: 'aws-0123456789' });
  expect(createAgent({ model }).describe({ secrets: 'plain' })['llm']).toEqual(llm);
});

test('the settings of a stored model are sent, an effort only to models that reason', () => {
  const said = {
    api_key: KEY,
    temperature: 0.2,
    max_output_tokens: 900,
    reasoning_effort: 'low',
    timeout: 5,
    stream_idle_timeout: 2,
    num_retries: 2,
    top_p: 0.9,
    top_k: 40,
    seed: 7,
    input_cost_per_token: 0.000001,
    output_cost_per_token: 0.000002,
    disable_vision: true,
  };
  const numbers = { temperature: 0.2, topP: 0.9, topK: 40, seed: 7, maxOutputTokens: 900 };
  expect(
    modelFromDescription({ ...said, model: 'openai/gpt-5.5', extra_headers: { 'x-team': 'a', hidden: '**********' } }),
  ).toMatchObject({
    settings: { ...numbers, reasoning: 'low', headers: { 'x-team': 'a' } },
    price: { input: 1, output: 2 },
    vision: false,
    timeout: 5000,
    idleTimeout: 2000,
    retry: { attempts: 2 },
  });
  expect(modelFromDescription({ ...said, model: 'openai/gpt-4o' }).settings).toEqual(numbers);
});

test('reasoning options and provider options of a model survive a restart', () => {
  const settings = { reasoning: 'low', providerOptions: { anthropic: { effort: 'low' } } } as const;
  for (const model of [
    anthropic('claude-opus-4-1', { apiKey: KEY, settings }),
    openai('gpt-5', { apiKey: KEY, settings }),
    google('gemini-x', { apiKey: KEY, settings }),
  ]) {
    const llm = createAgent({ model }).describe({ secrets: 'plain' })['llm'] as JsonObject;
    expect(modelFromDescription(llm).settings).toEqual(settings);
    expect(modelFromDescription(llm).description).not.toHaveProperty('provider_options');
  }
});

test('P9: headers of a model are described as secrets, and sent again when it is built from that', () => {
  const headers = { 'x-team': 'a', authorization: 'Bearer abc-0123456789' };
  const agent = createAgent({
    model: openaiCompatible('m', { baseUrl: 'http://127.0.0.1:1/v1', settings: { headers } }),
  });
  expect(agent.describe()).toMatchObject({ llm: { extra_headers: { 'x-team': '**********' } } });
  const again = modelFromDescription(agent.describe({ secrets: 'plain' })['llm'] as JsonObject);
  expect(again.settings?.headers).toEqual(headers);
  expect(JSON.stringify(again.description)).not.toContain('abc-0123456789');
});

test.each([
  anthropic('claude-x', { apiKey: KEY, baseUrl: 'http://127.0.0.1:1/v1' }),
  google('gemini-x', { apiKey: KEY, baseUrl: 'http://127.0.0.1:1/v1' }),
  openai('gpt-5', { apiKey: KEY, baseUrl: 'http://127.0.0.1:1/v1' }),
  openai('gpt-4o', { apiKey: KEY }),
  openaiCompatible('vendor/model', { baseUrl: 'http://127.0.0.1:1/v1' }),
  modelFromEnvironment({ LLM_MODEL: 'anthropic/claude-x', LLM_BASE_URL: 'http://127.0.0.1:1/v1' }),
])('$name is the same model again when it comes back from a description', (model) => {
  const again = modelFromDescription(createAgent({ model }).describe({ secrets: 'plain' })['llm'] as JsonObject);
  expect(again).toMatchObject({
    name: model.name,
    api: model.api,
    languageModel: { modelId: model.languageModel.modelId },
  });
});
