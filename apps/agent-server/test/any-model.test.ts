import { createModelServer, say, type ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { eventsOf, make, payload, says, until } from './calls.ts';
import { newFolder } from './new-folder.ts';
import { ServerProcess } from './server-process.ts';

/** Names as OpenHands' clients send them, of every way to get to a model. */
const NAMES = [
  'anthropic/claude-opus-4-5',
  'azure/my-deployment',
  'bedrock/anthropic.claude-v2',
  'cohere_chat/command-r',
  'databricks/dbrx',
  'deepseek/deepseek-chat',
  'dummy/model',
  'fireworks_ai/llama',
  'gemini/gemini-2.5-pro',
  'gpt-4o',
  'groq/llama3',
  'huggingface/some/model',
  'litellm_proxy/claude-sonnet-4-5',
  'lm_studio/qwen3',
  'mistral/mistral-large',
  'nvidia_nim/llama',
  'ollama/llama3',
  'openai/gpt-5.1',
  'openhands/claude-sonnet-4-5',
  'openrouter/anthropic/claude-3.5-sonnet',
  'perplexity/sonar',
  'replicate/llama',
  'together_ai/meta-llama/Llama-3',
  'vertex_ai/gemini-pro',
  'watsonx/granite',
  'xai/grok-4',
] as const;

let model: ModelServer;
let server: ServerProcess;
let cwd: string;

beforeAll(async () => {
  model = await createModelServer({ script: () => say('Yes.') });
  cwd = newFolder();
  server = await ServerProcess.start({ cwd });
});

afterAll(async () => {
  await server.stop();
  await model.close();
});

test.each(NAMES)('a conversation with model %s and no key can be started', async (name) => {
  const { id } = await make(server, payload({ cwd, llm: { model: name } }));
  expect((await server.call('POST', `/api/conversations/${id}/events`, says('hello'))).status).toBe(200);
});

test.each(['bedrock/x', 'dummy/model', 'vertex_ai/gemini-pro', 'litellm_proxy/x'])(
  'the first run with model %s and no base URL fails and names what is missing',
  async (name) => {
    const { id } = await make(server, payload({ cwd, llm: { model: name, api_key: 'sk-any-0123456789' } }));
    await server.call('POST', `/api/conversations/${id}/events`, says('hello', { run: true }));
    await until(server, id, 'error');
    expect((await eventsOf(server, id)).findLast(({ kind }) => kind === 'ConversationErrorEvent')).toMatchObject({
      code: 'LLMBadRequestError',
      detail: expect.stringMatching(new RegExp(`${name}.*base.URL`)),
    });
  },
);

test.each(['dummy/model', 'litellm_proxy/unknown', 'lm_studio/unknown', 'openhands/unknown'])(
  'model %s behind a base URL is asked in Chat Completions; an unknown price counts as 0',
  async (name) => {
    const llm = { model: name, base_url: model.url, api_key: 'sk-any-0123456789', usage_id: 'agent' };
    const { id } = await make(server, payload({ cwd, llm }));
    await server.call('POST', `/api/conversations/${id}/events`, says('hello', { run: true }));
    const { execution_status: status, stats } = await until(server, id, 'finished', 'error');
    expect(status).toBe('finished');
    const [metrics] = Object.values((stats as { readonly usage_to_metrics: Record<string, object> }).usage_to_metrics);
    expect(metrics).toMatchObject({
      accumulated_cost: 0,
      accumulated_token_usage: { completion_tokens: expect.any(Number) },
    });
  },
);
