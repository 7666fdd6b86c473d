import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drafts, type ActionEvent, type Event, type JsonObject } from '@conv/core/events';
import type { ToolSession } from '@conv/core/tool';
import { expect, onTestFinished, test } from 'vitest';
import {
  createAgent,
  createAgentFactory,
  type ModelProfiles,
  modelProfiles,
  openaiCompatible,
} from '../../src/index.ts';
import { type Bench, startBench } from '../support/bench.ts';
import { scriptedModel } from '../support/scripted-model.ts';

/** Profiles in a folder of their own, of which these are there. */
async function profilesOf(...names: readonly string[]): Promise<ModelProfiles> {
  const directory = await mkdtemp(join(tmpdir(), 'conv-switch-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const profiles = modelProfiles({ directory });
  for (const name of names) await profiles.save(name, openaiCompatible(name, { baseUrl: 'http://127.0.0.1:1/v1' }));
  return profiles;
}

async function benchOf(profiles: ModelProfiles, session: Partial<ToolSession> = {}): Promise<Bench> {
  const bench = await startBench(createAgent({ model: scriptedModel([]), profiles }), session);
  onTestFinished(() => bench[Symbol.asyncDispose]());
  return bench;
}

/** The result of a call for this profile. */
async function switched(bench: Bench, name: string): Promise<Event | undefined> {
  const value = { profile_name: name, reason: 'because', kind: 'SwitchLLMAction' };
  const [event] = bench.append([
    drafts.action({
      action: value as never,
      tool_name: 'switch_llm',
      tool_call_id: `call-${name}`,
      tool_call: { id: `call-${name}`, name: 'switch_llm', arguments: '{}', origin: 'completion' },
      llm_response_id: `response-${name}`,
    }),
  ]);
  const { signal } = new AbortController();
  const [result] = bench.append([await bench.session.execute(event as ActionEvent, { signal })]);
  return result;
}

test('the tool lists the present profiles and hands over to the named profile', async () => {
  const profiles = await profilesOf('fast', 'deep');
  const set: unknown[] = [];
  const bench = await benchOf(profiles, { setModel: async (model) => void set.push(model) });
  const { tools } = bench.session.systemPrompt() as unknown as { readonly tools: readonly JsonObject[] };
  expect(tools.find(({ kind }) => kind === 'SwitchLLMTool')?.['description']).toContain('Profiles: deep, fast.');
  expect(await switched(bench, 'fast')).toMatchObject({
    kind: 'ObservationEvent',
    observation: {
      kind: 'SwitchLLMObservation',
      is_error: false,
      profile_name: 'fast',
      reason: 'because',
      active_model: 'openai/fast',
    },
  });
  expect(set).toMatchObject([{ name: 'openai/fast', usageId: 'profile:fast' }]);
});

test.each(['slow', '../fast', ''])(
  'P13: %j is no profile: the result names those there are, also new ones',
  async (name) => {
    const profiles = await profilesOf('fast');
    const set: unknown[] = [];
    const bench = await benchOf(profiles, { setModel: async (model) => void set.push(model) });
    await profiles.save('new', openaiCompatible('new', { baseUrl: 'http://127.0.0.1:1/v1' }));
    const result = await switched(bench, name);
    expect(result).toMatchObject({ observation: { is_error: true, profile_name: name } });
    expect(JSON.stringify(result)).toContain('Profiles: fast, new.');
    expect(set).toEqual([]);
  },
);

test('a failed switch is a failed call and leaves the model unchanged', async () => {
  const profiles = await profilesOf('fast');
  const refused = await benchOf(profiles, { setModel: () => Promise.reject(new Error('not this one')) });
  expect(await switched(refused, 'fast')).toMatchObject({ observation: { is_error: true } });
  expect(JSON.stringify(await switched(await benchOf(profiles), 'fast'))).toContain('cannot change its model');
  const unreadable = { ...profiles, list: () => Promise.reject(new Error('no folder')) };
  const bench = await benchOf(unreadable, { setModel: async () => {} });
  expect(JSON.stringify(await switched(bench, 'slow'))).toContain('Profiles: none.');
});

test('an agent without profiles has no such tool; one with them is built again with them', async () => {
  const profiles = await profilesOf('fast');
  const model = openaiCompatible('m', { baseUrl: 'http://127.0.0.1:1/v1' });
  expect(createAgent({ model }).toolNames).not.toContain('switch_llm');
  const agent = createAgent({ model, profiles, toolTimeout: { switch_llm: 1000 } });
  expect(agent.toolNames).toEqual(['finish', 'think', 'switch_llm']);
  expect(agent.describe()['include_default_tools']).toEqual(['FinishTool', 'ThinkTool', 'SwitchLLMTool']);
  const names = async (options: Parameters<typeof createAgentFactory>[0]): Promise<unknown> =>
    (await createAgentFactory(options).revive(agent.describe()))?.toolNames;
  expect(await names({ profiles })).toEqual(['finish', 'think', 'switch_llm']);
  expect(await names({ profiles: { load: (name) => profiles.load(name) } })).toEqual(['finish', 'think']);
  expect(await names({})).toEqual(['finish', 'think']);
  expect((await createAgentFactory().revive(agent.describe()))?.describe()).toEqual(agent.describe());
  expect(agent.withModel(scriptedModel([])).toolNames).toContain('switch_llm');
});
