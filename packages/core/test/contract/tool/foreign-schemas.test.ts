import { z as newest } from 'zod';
import { z as three } from 'zod-3';
import { z as fourOne } from 'zod-4-1';
import { z as fourThree } from 'zod-4-3';
import { describe, expect, test } from 'vitest';

import {
  defineTool,
  isToolError,
  type Tool,
  type ToolContext,
  type ToolSchema,
} from '../../../src/contract/tool/index.ts';

const context: ToolContext = {
  conversationId: 'c',
  workingDirectory: '/',
  toolCallId: 't',
  signal: new AbortController().signal,
};

/** The error of a definition. */
function refused(definition: object): unknown {
  try {
    return defineTool({ name: 'weather', description: '', execute: () => '', ...definition } as never);
  } catch (error) {
    return error;
  }
}

const tools: readonly (readonly [version: string, Tool])[] = [
  ['4.1', weather(fourOne as unknown as typeof newest)],
  ['4.3', weather(fourThree as unknown as typeof newest)],
  ['the newest 4', weather(newest)],
];

function weather(z: typeof newest): Tool {
  return defineTool({
    name: 'weather',
    description: 'Reports the weather.',
    input: z.object({
      city: z.string().min(2).describe('Where.'),
      days: z.number().int().optional(),
      unit: z.enum(['c', 'f']).default('c'),
      where: z.object({ lat: z.number() }).optional(),
    }),
    output: z.object({ sky: z.string() }),
    execute: ({ city, unit }) => ({ sky: `${city} in ${unit}` }),
  });
}

describe.for(tools)('zod %s', ([, tool]) => {
  test('a tool tells the model of its arguments with their descriptions, every object closed', () => {
    expect(tool.inputSchema).toEqual({
      type: 'object',
      properties: {
        city: { type: 'string', minLength: 2, description: 'Where.' },
        days: { type: 'integer' },
        unit: { type: 'string', enum: ['c', 'f'], default: 'c' },
        where: {
          type: 'object',
          properties: { lat: { type: 'number' } },
          required: ['lat'],
          additionalProperties: false,
        },
      },
      required: ['city'],
      additionalProperties: false,
    });
  });

  test('a tool fills in defaults, takes null for an optional argument, and runs', async () => {
    const input = tool.parse({ city: 'Rome', days: null });
    expect(input).toEqual({ city: 'Rome', unit: 'c' });
    const { content } = await tool.execute(input, context);
    expect(content).toMatchObject([{ text: '{"sky":"Rome in c"}' }]);
  });

  test('P13: a tool names the arguments that are wrong, without their values', () => {
    expect(() => tool.parse({ city: 5, days: 'soon', colour: 'red' })).toThrow(
      "Invalid arguments for tool 'weather': city: must be a string; days: must be a number; (arguments): unknown colour",
    );
  });
});

test.for([
  [
    'zod 3',
    { input: three.object({ city: three.string() }) },
    /input of tool weather: .*found one of zod 3: install zod 4/,
  ],
  ['zod 3 as output', { input: newest.object({}), output: three.string() }, /output of tool weather: .*zod 3/],
  ['a schema of a text', { input: newest.string() }, /expected a schema of an object.*found one of type string/],
  ['a list', { input: newest.array(newest.string()) }, /expected a schema of an object.*found one of type array/],
  [
    'a union',
    { input: newest.union([newest.object({ a: newest.string() }), newest.object({})]) },
    /found one of several types/,
  ],
  [
    'members without z.object',
    { input: { city: newest.string() } },
    /found an object of schemas: wrap it in z\.object/,
  ],
  [
    'a JSON Schema',
    { input: { type: 'object', properties: {} } },
    /found a JSON Schema: convert it with z\.fromJSONSchema/,
  ],
  ['nothing', {}, /expected a schema such as z\.object\(.*found nothing/],
  ['a text', { input: 'city' }, /expected a schema such as .*found a string/],
  ['a Date inside', { input: newest.object({ at: newest.date() }) }, /has no JSON Schema: .*Date/],
  ['no function', { input: newest.object({}), execute: undefined }, /execute of tool weather: expected a function/],
  [
    'no description',
    { input: newest.object({}), description: undefined },
    /description of tool weather: expected text/,
  ],
] as const)('P13: a tool is not made of %s, and the error says what to write', ([, definition, message]) => {
  const error = refused(definition);
  expect(isToolError(error, 'INVALID_DEFINITION')).toBe(true);
  expect((error as Error).message).toMatch(message);
});

/** A schema of a library that is not zod. */
function ofOther(issues?: readonly { message: string; path: readonly string[] }[]): ToolSchema<object> {
  const json = {
    type: 'object',
    properties: { token: { type: 'string' }, note: { type: 'string' } },
    required: ['token'],
  };
  return {
    '~standard': {
      version: 1,
      vendor: 'other',
      validate: (value) => (issues ? { issues } : { value }),
      jsonSchema: { input: () => json, output: () => json },
    },
  } as ToolSchema<object>;
}

test('a schema of another library that implements Standard JSON Schema makes a tool', async () => {
  const tool = defineTool({
    name: 'send',
    description: '',
    input: ofOther(),
    execute: (input) => JSON.stringify(input),
  });
  expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
  expect(tool.parse({ token: 't', note: null })).toEqual({ token: 't' });
  expect(() => tool.parse({ token: 't', colour: 'red' })).toThrow('(arguments): unknown colour');
});

test('P13: words of another library that quote a value are replaced', () => {
  const issues = [
    { message: 'must be hex (was "tok_8fJ2")', path: ['token'] },
    { message: 'must be longer', path: ['note'] },
  ];
  const tool = defineTool({ name: 'send', description: '', input: ofOther(issues), execute: () => '' });
  expect(() => tool.parse({ token: 'tok_8fJ2', note: 'x' })).toThrow(
    "Invalid arguments for tool 'send': token: does not fit its schema; note: must be longer",
  );
});

test('P13: an asynchronous schema is refused with a remedy', () => {
  const input = { ...ofOther() } as ToolSchema<object>;
  const waits = { '~standard': { ...input['~standard'], validate: async () => ({ value: {} }) } } as ToolSchema<object>;
  const tool = defineTool({ name: 'send', description: '', input: waits, execute: () => '' });
  expect(() => tool.parse({ token: 't' })).toThrow(/checks asynchronously; check in execute instead/);
});
