import type { Agent } from '@conv/core';
import type { JsonObject } from '@conv/core/events';
import { expect, test } from 'vitest';
import {
  createAgent,
  createAgentFactory,
  llmSummarizingCondenser,
  openaiCompatible,
  pipelineCondenser,
} from '../../src/index.ts';
import { startBench } from '../support/bench.ts';
import { scriptedModel } from '../support/scripted-model.ts';

const KEY = 'sk-of-the-agent';
const llm: JsonObject = { model: 'openai/gpt-5', api_key: KEY, usage_id: 'default' };
const summarizing: JsonObject = { llm: { ...llm, usage_id: 'condenser' }, kind: 'LLMSummarizingCondenser' };

/** Which models were made for a stored agent with this condenser, and the agent. */
async function revived(condenser: JsonObject | null): Promise<{ readonly agent: Agent; readonly made: JsonObject[] }> {
  const made: JsonObject[] = [];
  const factory = createAgentFactory({
    model: (stated) => {
      made.push(stated);
      return openaiCompatible('any', { baseUrl: 'http://127.0.0.1:9/v1', apiKey: stated['api_key'] as string });
    },
  });
  const agent = await factory.revive({ llm, tools: [], condenser, kind: 'Agent' });
  if (agent === undefined) throw new Error('not revived');
  return { agent, made };
}

async function condenses(agent: Agent): Promise<boolean> {
  await using bench = await startBench(agent);
  return 'condense' in bench.session;
}

test('a stored condenser is at work again; one with the agent’s LLM shares its model', async () => {
  const { agent, made } = await revived(summarizing);
  expect(await condenses(agent)).toBe(true);
  expect(made).toEqual([llm]);
  expect(agent.describe({ secrets: 'plain' })['condenser']).toEqual(summarizing);
});

test.each([
  ['max_size', 30],
  ['keep_first', 5],
  ['max_tokens', 9000],
  ['minimum_progress', 0.5],
  ['hard_context_reset_max_retries', 2],
  ['hard_context_reset_context_scaling', 0.3],
])('a stored condenser acts by its own %s', async (member, value) => {
  // the description is made of the settings at work, and a member left out has a default
  const { agent } = await revived({ ...summarizing, [member]: value });
  expect(agent.describe({ secrets: 'plain' })['condenser']).toMatchObject({ [member]: value });
  const { agent: other } = await revived(summarizing);
  expect(other.describe({ secrets: 'plain' })['condenser']).not.toMatchObject({ [member]: value });
});

test('one with another LLM gets a model of its own, whose key is masked too', async () => {
  const own = { model: 'openai/gpt-5-mini', api_key: 'sk-of-the-condenser', usage_id: 'condenser' };
  const { agent, made } = await revived({ ...summarizing, llm: own });
  expect(made).toEqual([llm, own]);
  expect(agent.secretValues?.()).toEqual(expect.arrayContaining([KEY, 'sk-of-the-condenser']));
  expect(agent.describe()['condenser']).toMatchObject({ llm: { api_key: '**********' } });
});

test('a pipeline works with the members that are known', async () => {
  const pipeline = { condensers: [{ kind: 'Newer', x: 1 }, summarizing], kind: 'PipelineCondenser' };
  const { agent } = await revived(pipeline);
  expect(await condenses(agent)).toBe(true);
  const switched = agent.withModel(scriptedModel([], { name: 'openai/other' }));
  expect(switched.describe()['condenser']).toMatchObject({
    condensers: [{ kind: 'Newer', x: 1 }, { llm: { model: 'openai/other' } }],
  });
});

test.each<[string, JsonObject | null]>([
  ['none', null],
  ['NoOpCondenser', { kind: 'NoOpCondenser' }],
  ['an unknown kind', { kind: 'Newer', x: 1 }],
])('a condenser of %s condenses nothing, and is given back as it was', async (_, condenser) => {
  const { agent } = await revived(condenser);
  expect(await condenses(agent)).toBe(false);
  expect(agent.describe()['condenser']).toEqual(condenser);
  expect(agent.withModel(scriptedModel([])).describe()['condenser']).toEqual(condenser);
});

test('P13: numbers that no condenser takes are refused by name', async () => {
  await expect(revived({ ...summarizing, max_size: 4, keep_first: 3 })).rejects.toMatchObject({
    code: 'INVALID_DESCRIPTION',
    message: expect.stringContaining('condenser.keep_first') as string,
  });
});

test('a condenser without a model of its own follows the agent to another model, in words and in deed', async () => {
  const condenser = pipelineCondenser([llmSummarizingCondenser()]);
  const agent = createAgent({ model: scriptedModel([], { name: 'openai/one' }), condenser });
  expect(agent.describe()['condenser']).toMatchObject({ condensers: [{ llm: { model: 'openai/one' } }] });
  const other = agent.withModel(scriptedModel([], { name: 'openai/two' }));
  expect(other.describe()['condenser']).toMatchObject({
    condensers: [{ llm: { model: 'openai/two', usage_id: 'condenser' } }],
  });
});

test('an agent has a condenser unless it is told to have none', async () => {
  const model = scriptedModel([]);
  expect(createAgent({ model }).describe()['condenser']).toMatchObject({
    max_size: 80,
    keep_first: 4,
    kind: 'LLMSummarizingCondenser',
  });
  expect(createAgent({ model, condenser: null }).describe()).not.toHaveProperty('condenser');
  const kept = createAgent({ model, description: { condenser: { kind: 'Newer' } } });
  expect([kept.describe()['condenser'], await condenses(kept)]).toEqual([{ kind: 'Newer' }, false]);
});
