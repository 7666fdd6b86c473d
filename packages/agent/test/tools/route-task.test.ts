import type { Agent } from '@conv/core';
import { type ActionEvent, drafts, type Event, type JsonObject } from '@conv/core/events';
import type { CallRecord } from '@conv/core/store';
import type { ToolSession } from '@conv/core/tool';
import type { LanguageModelV4Content } from '@ai-sdk/provider';
import { expect, onTestFinished, test } from 'vitest';
import { createAgent, createAgentFactory, type Model, routeTaskTool, type RouteTaskOptions } from '../../src/index.ts';
import { type Bench, startBench } from '../support/bench.ts';
import { scriptedModel } from '../support/scripted-model.ts';

const rules = {
  classifier_model: 'small',
  classes: [
    { description: 'a question', model: 'fast' },
    { description: 'a change of code', model: 'deep' },
  ],
};
const direct = {
  classifier_model: 'small',
  prompt_template: 'Choose of {{ model_table }} for: {{instance_text}}',
  model_table: 'fast, deep, fast-and-cheap',
};

interface Played {
  readonly bench: Bench;
  readonly small: ReturnType<typeof scriptedModel>;
  readonly set: readonly Model[];
  readonly records: readonly CallRecord[];
  /** Runs the tool. Resolves with its observation. */
  readonly route: () => Promise<JsonObject>;
}

/** An agent that routes its tasks, by a small model that gives these answers. */
async function playing(
  answers: readonly (string | Error)[],
  options: Partial<RouteTaskOptions>,
  more: Partial<ToolSession> = {},
): Promise<Played> {
  const said = (answer: string | Error): readonly LanguageModelV4Content[] | Error =>
    typeof answer === 'string' ? [{ type: 'text', text: answer }] : answer;
  const small = scriptedModel(answers.map(said), { retry: { attempts: 1 } });
  const named = (name: string): Model => ({ ...scriptedModel([]), name: `openai/${name}`, usageId: `profile:${name}` });
  const names = ['deep', 'fast', 'fast-and-cheap', 'small'];
  const profiles: RouteTaskOptions['profiles'] = {
    list: async () => names,
    load: async (name) => {
      if (!names.includes(name)) throw new Error(`there is no profile ${name}`);
      return name === 'small' ? small : named(name);
    },
  };
  const set: Model[] = [];
  const records: CallRecord[] = [];
  const bench = await startBench(
    createAgent({ model: scriptedModel([]), tools: [routeTaskTool({ profiles, ...options })] }),
    {
      setModel: async (model) => void set.push(model as Model),
      view: async () => bench.condensableView().events,
      askModel: async (ask) => {
        const answer = await ask();
        records.push(answer.record);
        return answer;
      },
      ...more,
    },
  );
  onTestFinished(() => bench[Symbol.asyncDispose]());
  return { bench, small, set, records, route: () => route(bench) };
}

async function route(bench: Bench): Promise<JsonObject> {
  const [event] = bench.append([
    drafts.action({
      action: { kind: 'ClassifyAndSwitchLLMAction' } as never,
      tool_name: 'route_task_to_model',
      tool_call_id: `call-${bench.events.length}`,
      tool_call: { id: 'c', name: 'route_task_to_model', arguments: '{}', origin: 'completion' },
      llm_response_id: 'response',
    }),
  ]);
  const { signal } = new AbortController();
  const [result] = bench.append([await bench.session.execute(event as ActionEvent, { signal })]);
  return (result as Event & { readonly observation: JsonObject }).observation;
}

const textOf = (observation: JsonObject): string => JSON.stringify(observation['content']);

test('the class that a small model names chooses the model, and the conversation pays for the question', async () => {
  const { bench, small, set, records, route } = await playing(['2'], { params: { meta_profile: rules } });
  bench.say('Please rename the function.');
  expect(await route()).toMatchObject({
    kind: 'ClassifyAndSwitchLLMObservation',
    is_error: false,
    chosen_class: 'a change of code',
    model: 'deep',
    active_model: 'openai/deep',
  });
  expect(set).toMatchObject([{ name: 'openai/deep', usageId: 'profile:deep' }]);
  expect(records).toMatchObject([{ usageId: 'classifier:small' }]);
  const asked = JSON.stringify(small.calls[0]?.prompt);
  for (const said of ['1. a question', '2. a change of code', 'user: Please rename the function.'])
    expect(asked).toContain(said);
});

test.each(['0', '3', 'neither', '-1', ''])('the answer %j names no class, so that the call fails', async (answer) => {
  const { set, route } = await playing([answer], { params: { meta_profile: rules } });
  const observation = await route();
  expect(observation).toMatchObject({ is_error: true });
  expect(textOf(observation)).toContain('chose none of them');
  expect(set).toEqual([]);
});

test.each([
  ['```json\n{"model": "DEEP"}\n```', 'deep'],
  ['I would take fast-and-cheap here.', 'fast-and-cheap'],
  ['{"model": "slow"} or deep', undefined],
])('the answer %j names the model with a prompt of one’s own', async (answer, chosen) => {
  const { bench, small, set, route } = await playing([answer], { params: { meta_profile: direct } });
  bench.say('Hello');
  const observation = await route();
  expect(observation['is_error']).toBe(chosen === undefined);
  expect(set.map(({ name }) => name)).toEqual(chosen === undefined ? [] : [`openai/${chosen}`]);
  expect([observation['chosen_class'], observation['model']]).toEqual(
    chosen === undefined ? [undefined, undefined] : [`model: ${chosen}`, chosen],
  );
  expect(JSON.stringify(small.calls[0]?.prompt)).toContain('Choose of fast, deep, fast-and-cheap for: user: Hello');
});

test('stored rules go before those of the agent, and the first ones apply where none are named', async () => {
  const stored = { ...rules, classes: [{ description: 'all', model: 'fast' }] };
  const metaProfiles: NonNullable<RouteTaskOptions['metaProfiles']> = {
    names: async () => ['b', 'a'],
    get: async (name) =>
      name === 'a' || name === 'b' ? { ...stored, classes: [{ description: name, model: 'fast' }] } : undefined,
  };
  const chosen = async (params: JsonObject): Promise<unknown> =>
    (await (await playing(['1'], { metaProfiles, params })).route())['chosen_class'];
  expect(await chosen({ active_meta_profile: 'b', meta_profile: rules })).toBe('b');
  expect(await chosen({ active_meta_profile: 'gone', meta_profile: rules })).toBe('a question');
  expect(await chosen({})).toBe('a');
  const { route } = await playing([], { metaProfiles, params: { active_meta_profile: 'gone' } });
  expect(textOf(await route())).toContain('there are no rules named gone');
});

test('P13: a call fails with its reason, and the model stays', async () => {
  const failing = async (answers: readonly (string | Error)[], params: JsonObject, more: Partial<ToolSession> = {}) => {
    const { route, set } = await playing(answers, { params }, more);
    const observation = await route();
    expect(observation).toMatchObject({ kind: 'ClassifyAndSwitchLLMObservation', is_error: true });
    expect(set).toEqual([]);
    return textOf(observation);
  };
  expect(await failing([new Error('no answer')], { meta_profile: rules })).toContain('no answer');
  expect(await failing([], {})).toContain('there are no rules to choose by');
  expect(await failing([], { meta_profile: { ...rules, classifier_model: 'none' } })).toContain(
    'there is no profile none',
  );
  const gone = { classifier_model: 'small', classes: [{ description: 'all', model: 'gone' }] };
  expect(await failing(['1'], { meta_profile: gone })).toContain('there is no profile gone');
  const missing = { setModel: undefined } as unknown as Partial<ToolSession>;
  expect(await failing([], { meta_profile: rules }, missing)).toContain('cannot change its model');
  const silent = { askModel: undefined } as unknown as Partial<ToolSession>;
  expect(await failing([], { meta_profile: rules }, silent)).toContain('cannot ask models');
});

test('models that came with the agent go before the profiles', async () => {
  const llm = { model: 'openai/sent', base_url: 'http://127.0.0.1:1/v1', api_key: 'k' };
  const { set, route } = await playing(['1'], { params: { meta_profile: rules, meta_profile_llms: { fast: llm } } });
  expect(await route()).toMatchObject({ model: 'fast', active_model: 'openai/sent' });
  expect(set).toMatchObject([{ usageId: 'profile:fast' }]);
});

test('wrong rules are refused with their member', () => {
  const profiles: RouteTaskOptions['profiles'] = {
    list: async () => [],
    load: () => Promise.reject(new Error('none')),
  };
  const tool = (metaProfile: JsonObject) => () => routeTaskTool({ profiles, params: { meta_profile: metaProfile } });
  expect(tool({ classes: [] })).toThrow(/routeTaskTool: params: meta_profile\.classifier_model/);
  expect(tool({ classifier_model: 'a', prompt_template: 'no place' })).toThrow(
    /prompt_template: expected \{\{ instance_text \}\}/,
  );
  expect(tool({ ...rules, prompt_template: '{{ instance_text }}' })).toThrow(
    'expected a prompt or classes, found both',
  );
});

test('a stored agent has the tool with its parameters, also as a default tool without any', async () => {
  const profiles: RouteTaskOptions['profiles'] = {
    list: async () => [],
    load: () => Promise.reject(new Error('none')),
  };
  const seen: JsonObject[] = [];
  const factory = createAgentFactory({
    tools: {
      ClassifyAndSwitchLLMTool: (params) => {
        seen.push(params);
        return routeTaskTool({ profiles, params });
      },
    },
    leaveOut: () => {},
  });
  const llm = { model: 'openai/m', base_url: 'http://127.0.0.1:1/v1' };
  const revived = async (agent: JsonObject): Promise<Agent | undefined> =>
    factory.revive({ kind: 'Agent', llm, ...agent });
  const params = { active_meta_profile: 'a' };
  expect((await revived({ tools: [{ name: 'ClassifyAndSwitchLLMTool', params }] }))?.toolNames).toContain(
    'ClassifyAndSwitchLLMTool',
  );
  const listed = { include_default_tools: ['FinishTool', 'ClassifyAndSwitchLLMTool'] };
  expect((await revived(listed))?.toolNames).toContain('ClassifyAndSwitchLLMTool');
  expect(factory.missingTools?.({ kind: 'Agent', llm, ...listed })).toEqual([]);
  expect(seen).toEqual([params, {}]);
});
