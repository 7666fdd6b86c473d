import { createClock, type Event, type EventDraft, type JsonObject, stampEvent } from '@conv/core/events';
import { drafts, userMessage } from '@conv/core/events';
import { call, calls, createModelServer, say, type Script, toolResults } from '@conv/testing-model-server';
import { describe, expect, expectTypeOf, onTestFinished, test } from 'vitest';
import { z } from 'zod';

import {
  anthropic,
  createAgent,
  createAgentFactory,
  isAgentError,
  type Model,
  openai,
  openaiCompatible,
  responseOf,
} from '../../src/index.ts';
import { type Bench, scene, startBench } from '../support/bench.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { add } from '../support/tools.ts';

const KEY = 'sk-test-0123456789';
const City = z.object({
  name: z.string().describe('As its inhabitants write it.'),
  population: z.number().int().min(1),
  rivers: z.array(z.string()).default([]),
});
const paris = { name: 'Paris', population: 2_100_000, rivers: ['Seine'] };
const asJson: JsonObject = {
  title: 'City',
  type: 'object',
  properties: { name: { type: 'string' }, site: { $ref: '#/$defs/Site' } },
  required: ['name', 'site'],
  additionalProperties: false,
  $defs: { Site: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] } },
};

const protocols = [
  { api: 'chat', modelAt: (url: string): Model => openaiCompatible('scripted-model', { baseUrl: url }) },
  { api: 'responses', modelAt: (url: string): Model => openai('gpt-5', { apiKey: KEY, baseUrl: url }) },
  { api: 'messages', modelAt: (url: string): Model => anthropic('claude-opus-4-1', { apiKey: KEY, baseUrl: url }) },
] as const;

/** Makes the argument of `responseOf`; the events of a bench are a single branch. */
function held(events: readonly Event[]): Parameters<typeof responseOf>[0] {
  return { events: { branch: async () => events } as unknown as Parameters<typeof responseOf>[0]['events'] };
}

function finished({ events }: Bench): Parameters<typeof responseOf>[0] {
  return held(events);
}

async function serve(script: Script) {
  const server = await createModelServer({ script });
  onTestFinished(async () => {
    await server.close();
    expect(server.violations).toEqual([]);
  });
  return server;
}

describe.each(protocols)('an answer with a schema in the $api protocol', ({ modelAt }) => {
  test.each([
    ['streamed', true],
    ['unstreamed', false],
  ])('an answer with a schema is what finish takes, %s; the model corrects what does not fit', async (_, streams) => {
    const server = await serve([
      call('add', { numbers: [1, 2] }),
      call('finish', { name: 'Paris', population: 'many', mayor: 'x' }),
      call('finish', { ...paris, summary: 'Answers.' }),
    ]);
    const agent = createAgent({ model: modelAt(server.url), tools: [add], responseSchema: City });
    await using bench = await startBench(agent);
    bench.streams = streams;
    bench.say('Which city?');
    await bench.run();
    const finish = server.requests[0]?.tools.find(({ name }) => name === 'finish');
    expect(finish?.parameters).toMatchObject({
      required: ['name', 'population'],
      properties: { name: { description: 'As its inhabitants write it.' }, population: { minimum: 1 } },
    });
    expect(finish?.parameters).not.toHaveProperty('properties.message');
    const [error] = bench.ofKind('AgentErrorEvent');
    expect(error?.error).toContain("Invalid arguments for tool 'finish': population: must be a number");
    expect(error?.error).toContain('unknown mayor');
    const last = server.requests.at(-1);
    expect(last && toolResults(last).at(-1)?.text).toContain('population: must be a number');
    const city = await responseOf(finished(bench), City);
    expect(city).toEqual(paris);
    expectTypeOf(city).toEqualTypeOf<{ name: string; population: number; rivers: string[] } | undefined>();
  });
});

test('events hold what the wire has for a finish call and nothing else', async () => {
  await using stage = await scene([call('finish', { name: 'Paris', population: 1 })], {
    agent: { responseSchema: City },
  });
  stage.bench.say('Which city?');
  await stage.bench.run();
  const [done] = stage.bench.ofKind('ActionEvent');
  const message = JSON.stringify({ name: 'Paris', population: 1, rivers: [] });
  expect(done?.action).toEqual({ kind: 'FinishAction', message });
  const [result] = stage.bench.ofKind('ObservationEvent');
  expect(result?.observation).toEqual({
    kind: 'FinishObservation',
    is_error: false,
    content: [{ cache_prompt: false, type: 'text', text: message }],
  });
  expect(await responseOf(finished(stage.bench), City)).toEqual({ name: 'Paris', population: 1, rivers: [] });
});

test('a model that answers with a text is told to call finish', async () => {
  await using stage = await scene([say('It is Paris.'), call('finish', paris)], { agent: { responseSchema: City } });
  stage.bench.say('Which city?');
  await stage.bench.run();
  expect(JSON.stringify(stage.server.requests[1]?.messages.at(-1))).toContain('Call finish now');
  expect(await responseOf(finished(stage.bench), City)).toEqual(paris);
});

test('the model is told twice for each user message to call finish; then its words are the answer', async () => {
  await using stage = await scene(
    [say('Paris.'), say('Paris!'), say('I said Paris.'), say('Hm.'), call('finish', paris)],
    {
      agent: { responseSchema: City },
    },
  );
  const { bench } = stage;
  bench.say('Which city?');
  await bench.run();
  expect(stage.server.requests).toHaveLength(3);
  expect(bench.ofKind('MessageEvent').filter(({ source }) => source === 'environment')).toHaveLength(2);
  expect(await responseOf(finished(bench), City)).toBeUndefined();
  bench.say('Please use finish.');
  await bench.run();
  expect(stage.server.requests).toHaveLength(5);
  expect(await responseOf(finished(bench), City)).toEqual(paris);
});

test('an answer in words ends a run at once without a schema', async () => {
  await using stage = await scene([say('It is Paris.')]);
  stage.bench.say('Which city?');
  await stage.bench.run();
  expect(stage.server.requests).toHaveLength(1);
});

test('calls behind the finish call are dropped, and the last answer counts', async () => {
  const berlin = { name: 'Berlin', population: 3_900_000, rivers: ['Spree'] };
  await using stage = await scene(
    [
      call('finish', paris),
      calls([
        { name: 'finish', arguments: berlin },
        { name: 'add', arguments: { numbers: [1] } },
      ]),
    ],
    { agent: { responseSchema: City, tools: [add] } },
  );
  stage.bench.say('Which city?');
  await stage.bench.run();
  stage.bench.say('And another?');
  await stage.bench.step();
  expect(await responseOf(finished(stage.bench), City), 'the second one did not go through yet').toEqual(paris);
  await stage.bench.executePending();
  expect(await responseOf(finished(stage.bench), City)).toEqual(berlin);
  expect(stage.bench.ofKind('ActionEvent').map(({ tool_name }) => tool_name)).toEqual(['finish', 'finish']);
});

test('a schema may be JSON Schema, with references; the model is offered it in plain form', async () => {
  await using stage = await scene(
    [call('finish', { name: 'Paris', site: {} }), call('finish', { name: 'Paris', site: { lat: 48.9 } })],
    {
      agent: { responseSchema: asJson },
    },
  );
  stage.bench.say('Which city?');
  await stage.bench.run();
  const finish = stage.server.requests[0]?.tools.find(({ name }) => name === 'finish');
  expect(finish?.parameters).toMatchObject({ properties: { site: { properties: { lat: { type: 'number' } } } } });
  expect(stage.bench.ofKind('AgentErrorEvent')[0]?.error).toContain('site.lat: is required');
  expect(await responseOf(finished(stage.bench), asJson)).toEqual({ name: 'Paris', site: { lat: 48.9 } });
});

test('a field named message, or summary, is one of the answer', async () => {
  const Note = z.object({ message: z.string(), summary: z.string() });
  await using stage = await scene([call('finish', { message: 'Hello', summary: 'Short' })], {
    agent: { responseSchema: Note },
  });
  stage.bench.say('Note');
  await stage.bench.run();
  expect(await responseOf(finished(stage.bench), Note)).toEqual({ message: 'Hello', summary: 'Short' });
});

test('P6: a stored agent keeps the schema, as the wire says it', async () => {
  const server = await serve([call('finish', { name: 'Paris', population: 0 }), call('finish', paris)]);
  const model = openaiCompatible('scripted-model', { baseUrl: server.url });
  const description = createAgent({ model, tools: [add], responseSchema: City }).describe();
  expect(description).toMatchObject({
    tools: [
      { name: 'add', params: {} },
      { name: 'FinishTool', params: { response_schema: { type: 'object', required: ['name', 'population'] } } },
    ],
    include_default_tools: ['ThinkTool'],
  });
  const revived = await createAgentFactory({ tools: { add: () => add }, model: () => model }).revive(description);
  if (revived === undefined) throw new Error('it was not built');
  expect(revived.describe()).toEqual(description);
  expect(revived.toolNames).toEqual(['add', 'finish', 'think']);
  await using bench = await startBench(revived);
  bench.say('Which city?');
  await bench.run();
  expect(bench.ofKind('AgentErrorEvent')[0]?.error).toContain('population: must be at least 1');
  expect(await responseOf(finished(bench), City)).toEqual(paris);
  expect(revived.withModel?.(scriptedModel([])).describe()).toMatchObject({ tools: description['tools'] });
});

test('a stored finish tool without a schema is the usual one', async () => {
  const description: JsonObject = {
    ...createAgent({ model: scriptedModel([]), includeDefaultTools: ['ThinkTool'] }).describe(),
    tools: [{ name: 'FinishTool', params: {} }],
  };
  const revived = await createAgentFactory({ model: () => scriptedModel([]) }).revive(description);
  expect(revived?.toolNames).toEqual(['finish', 'think']);
});

test.each<[string, unknown, RegExp]>([
  ['a JSON Schema of a list', { type: 'array', items: {} }, /type "object"/],
  ['a JSON Schema that is none', { type: 'object', properties: { a: { type: 'strin' } } }, /strin/],
  ['a zod schema that JSON cannot say', z.object({ at: z.date() }), /Date/],
])('P13: %s is refused as a schema of answers', (_, responseSchema, reason) => {
  const make = (): unknown => createAgent({ model: scriptedModel([]), responseSchema: responseSchema as JsonObject });
  expect(make).toThrow(/INVALID_OPTION.*responseSchema/);
  expect(make).toThrow(reason);
});

test('P13: a response schema without the finish tool is refused, and an invalid stored schema too', async () => {
  expect(() =>
    createAgent({ model: scriptedModel([]), responseSchema: City, includeDefaultTools: ['ThinkTool'] }),
  ).toThrow(/INVALID_OPTION.*FinishTool/);
  const description: JsonObject = {
    ...createAgent({ model: scriptedModel([]) }).describe(),
    tools: [{ name: 'FinishTool', params: { response_schema: 'text' } }],
  };
  const revived = createAgentFactory({ model: () => scriptedModel([]) }).revive(description);
  await expect(revived).rejects.toSatisfy((error) => isAgentError(error, 'INVALID_DESCRIPTION'));
  await expect(revived).rejects.toThrow(/response_schema/);
});

/** A finish call as the reference writes it: a message for people, and the answer among the arguments. */
function foreignFinish(args: JsonObject): readonly Event[] {
  const clock = createClock();
  const done = drafts.action({
    action: { kind: 'FinishAction', message: 'I found Paris.' },
    tool_name: 'finish',
    tool_call_id: 'call_1',
    tool_call: { id: 'call_1', name: 'finish', arguments: JSON.stringify(args), origin: 'completion' },
    llm_response_id: 'response_1',
  });
  const result = drafts.observation(
    { ...done, id: 'action' },
    { kind: 'FinishObservation', content: [], is_error: false },
  );
  const named: readonly (readonly [string, EventDraft])[] = [
    ['said', userMessage('Which city?')],
    ['action', done],
    ['result', result],
  ];
  return named.map(([id, draft]) => stampEvent(draft, { id, timestamp: clock.next(), parentId: null }));
}

test('the answer of a conversation that OpenHands held is read from the arguments of its call', async () => {
  const events = foreignFinish({ message: 'I found Paris.', summary: 'x', ...paris });
  expect(await responseOf(held(events), City.strict())).toEqual(paris);
});

test('P13: an answer that does not fit names the wrong fields, and without a schema the answer is a text', async () => {
  const wrong = responseOf(held(foreignFinish({ message: 'x', name: 'Paris' })), City);
  await expect(wrong).rejects.toSatisfy((error) => isAgentError(error, 'INVALID_RESPONSE'));
  await expect(wrong).rejects.toThrow(/population/);
  expect(await responseOf(held([]), City)).toBeUndefined();
});
