import type { JsonObject } from '@conv/core/events';
import { call } from '@conv/testing-model-server';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { createAgent, createAgentFactory, isAgentError, responseOf, type ResponseSchema } from '../../src/index.ts';
import { type Bench, scene } from '../support/bench.ts';
import { scriptedModel } from '../support/scripted-model.ts';

const text = { type: 'string' };
const objectOf = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

/** Each level holds the next one twice. */
function doubling(levels: number): JsonObject {
  const next = (level: number): JsonObject => ({ $ref: `#/$defs/${level + 1}` });
  const levelled = Array.from({ length: levels }, (_, level): [string, JsonObject] => [
    `${level}`,
    level + 1 === levels ? text : objectOf({ one: next(level), other: next(level) }),
  ]);
  return objectOf({ all: { $ref: '#/$defs/0' } }, { $defs: Object.fromEntries(levelled) });
}

function nested(levels: number): JsonObject {
  return levels === 0 ? text : objectOf({ in: nested(levels - 1) });
}

/** The answer of an agent whose model calls finish with each of these arguments until one fits, and what was wrong with the others. */
async function answered(
  responseSchema: ResponseSchema,
  ...given: readonly (JsonObject | string)[]
): Promise<{ readonly answer: unknown; readonly errors: readonly string[] }> {
  const turns = given.map((args) => call('finish', args as JsonObject));
  await using stage = await scene(turns, { agent: { responseSchema } });
  const { bench } = stage;
  bench.say('Answer');
  await bench.run();
  const errors = bench.ofKind('AgentErrorEvent').map(({ error }) => error);
  return { answer: await responseOf(held(bench), responseSchema as JsonObject), errors };
}

function held({ events }: Bench): Parameters<typeof responseOf>[0] {
  return { events: { branch: async () => events } as unknown as Parameters<typeof responseOf>[0]['events'] };
}

describe('an answer', () => {
  const node = objectOf(
    { name: text, children: { type: 'array', items: { $ref: '#/$defs/Node' } } },
    { required: ['name'] },
  );
  const tree = { name: 'a', children: [{ name: 'b', children: [{ name: 'c' }] }] };
  const wrong = { name: 'a', children: [{ name: 'b', children: [{ children: [] }] }] };

  test.each([
    ['that is a reference', { $ref: '#/$defs/Node', $defs: { Node: node } }],
    ['that refers to itself', { ...node, $defs: { Node: { $ref: '#' } } }],
    ['whose parts refer to themselves', { ...node, $defs: { Node: node } }],
  ])('an answer of a schema %s is checked at every depth', async (_, schema) => {
    const { answer, errors } = await answered(schema, wrong, tree);
    expect(errors).toEqual([expect.stringContaining('children.0.children.0.name: is required')]);
    expect(answer).toEqual(tree);
  });

  test('an answer of a recursive zod schema is checked at every depth', async () => {
    const Node = z.object({
      name: z.string(),
      get children() {
        return z.array(Node).optional();
      },
    });
    const { answer, errors } = await answered(Node, wrong, tree);
    expect(errors).toEqual([expect.stringContaining('children.0.children.0.name: is required')]);
    expect(answer).toEqual(tree);
  });

  test('an answer may have members of the type of additionalProperties where the schema says so', async () => {
    const more = { name: 'a', size: 1 };
    expect((await answered(objectOf({ name: text }), more)).answer).toEqual(more);
    expect((await answered(objectOf({ name: text }, { additionalProperties: true }), more)).answer).toEqual(more);
    const numbers = objectOf({ name: text }, { additionalProperties: { type: 'number' } });
    const typed = await answered(numbers, { name: 'a', size: 'large' }, more);
    expect(typed.errors).toEqual([expect.stringContaining('size: must be a number')]);
    expect(typed.answer).toEqual(more);
    const closed = await answered(objectOf({ name: text }, { additionalProperties: false }), more, { name: 'a' });
    expect(closed.errors).toEqual([expect.stringContaining('unknown size')]);
    expect(closed.answer).toEqual({ name: 'a' });
  });

  test('an answer with text around it is the JSON in it', async () => {
    const { answer, errors } = await answered(objectOf({ name: text }), '{"name": "a"} That is {"all"}.');
    expect([answer, errors]).toEqual([{ name: 'a' }, []]);
    expect((await answered(objectOf({ name: text }), 'Here it is: {"name": "a"}')).answer).toEqual({ name: 'a' });
  });
});

describe('a schema of answers', () => {
  test.each<readonly [string, unknown, RegExp]>([
    ['of a list', { type: 'array', items: text }, /type "object"/],
    ['of a text', text, /type "object"/],
    ['of anything', {}, /type "object"/],
    ['of one of several objects', { anyOf: [objectOf({ a: text }), objectOf({ b: text })] }, /type "object"/],
    ['that is a reference to a text', { $ref: '#/$defs/Text', $defs: { Text: text } }, /type "object"/],
    ['that is true', true, /type "object"/],
    ['that is a list', [objectOf({})], /type "object"/],
    ['with a reference to nothing', objectOf({ a: { $ref: '#/$defs/None' } }), /#\/\$defs\/None/],
    ['with a reference to elsewhere', objectOf({ a: { $ref: 'https://example.com/a.json' } }), /\$ref/],
    [
      'with a reference that leads to itself',
      objectOf({ a: { $ref: '#/$defs/A' } }, { $defs: { A: { $ref: '#/$defs/B' }, B: { $ref: '#/$defs/A' } } }),
      /#\/\$defs\/A leads to itself/,
    ],
    ['that is too long', objectOf({ a: { enum: Array.from({ length: 30_000 }, (_, at) => `value ${at}`) } }), /bytes/],
    ['that is too deep', nested(100), /deeper than 150/],
    ['that would be too deep to look at', nested(3000), /deeper than 150/],
    ['that grows without bounds', doubling(40), /too large/],
  ])('P13: %s is refused at once, in options and in what is stored', async (_name, schema, reason) => {
    const make = (): unknown => createAgent({ model: scriptedModel([]), responseSchema: schema as JsonObject });
    expect(make).toThrow(/INVALID_OPTION.*responseSchema/);
    expect(make).toThrow(reason);
    const description: JsonObject = {
      ...createAgent({ model: scriptedModel([]) }).describe(),
      tools: [{ name: 'FinishTool', params: { response_schema: schema as JsonObject } }],
    };
    const revived = createAgentFactory({ model: () => scriptedModel([]) }).revive(description);
    await expect(revived).rejects.toSatisfy((error) => isAgentError(error, 'INVALID_DESCRIPTION'));
  });

  test('a schema of the largest size is offered as a whole', async () => {
    const names = Array.from({ length: 2000 }, (_, at) => `name_of_a_part_${at}`);
    const schema = objectOf(Object.fromEntries(names.map((name) => [name, { ...text, description: 'x'.repeat(60) }])));
    await using stage = await scene([call('finish', { name_of_a_part_1999: 'last' })], {
      agent: { responseSchema: schema },
    });
    stage.bench.say('Answer');
    await stage.bench.run();
    const finish = stage.server.requests[0]?.tools.find(({ name }) => name === 'finish');
    expect(Object.keys(finish?.parameters['properties'] as object)).toEqual(expect.arrayContaining(names));
    expect(await responseOf(held(stage.bench), schema)).toEqual({ name_of_a_part_1999: 'last' });
  });

  test('P13: anything but a schema is refused by readers of answers, too', async () => {
    const reading = responseOf(held({ events: [] } as unknown as Bench), { type: 'strin' });
    await expect(reading).rejects.toSatisfy((error) => isAgentError(error, 'INVALID_OPTION'));
  });
});
