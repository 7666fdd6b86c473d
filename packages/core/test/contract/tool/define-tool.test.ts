import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { defineTool, isToolError, text, ToolError, type ToolContext } from '../../../src/contract/tool/index.ts';

function context(signal: AbortSignal = new AbortController().signal): ToolContext {
  return { conversationId: 'c', workingDirectory: '/w', toolCallId: 'call', signal };
}

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (isToolError(error)) return error.message;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const search = defineTool({
  name: 'search',
  description: 'Searches.',
  input: z.object({
    query: z.string().min(2).describe('looks for a loop'),
    limit: z.int().max(50).default(10),
    order: z.enum(['new', 'old']).optional(),
    where: z.object({ folder: z.string() }).optional(),
    scope: z.union([z.string(), z.number()]).optional(),
  }),
  annotations: { readOnly: true },
  execute: ({ query, limit }) => `${query} ${limit}`,
});

describe('input', () => {
  test('defaults are filled in, and parsing the result again changes nothing', () => {
    const parsed = search.parse({ query: 'cats' });
    expect(parsed).toEqual({ query: 'cats', limit: 10 });
    expect(search.parse(parsed)).toEqual(parsed);
  });

  test('null for an argument that may be left out counts as left out', () => {
    expect(search.parse({ query: 'cats', limit: null, order: null })).toEqual({ query: 'cats', limit: 10 });
  });

  test('null reaches a tool that asks for it', () => {
    const tool = defineTool({
      name: 'clear',
      description: '',
      input: z.object({ value: z.string().nullable().optional() }),
      execute: () => '',
    });
    expect(tool.parse({ value: null })).toEqual({ value: null });
  });

  test.each([
    ['a missing argument', {}, 'query: is required'],
    ['a wrong type', { query: 'ab', limit: 'SECRET' }, 'limit: must be a number'],
    ['a text that is too short', { query: 'S' }, 'query: must have at least 2 characters'],
    ['a number that is too big', { query: 'ab', limit: 9999 }, 'limit: must be at most 50'],
    ['a value that is not one of the allowed', { query: 'ab', order: 'SECRET' }, 'order: must be one of "new", "old"'],
    ['a nested argument', { query: 'ab', where: { folder: 7 } }, 'where.folder: must be a string'],
    ['a missing nested argument', { query: 'ab', where: {} }, 'where.folder: is required'],
    ['a union', { query: 'ab', scope: { SECRET: 1 } }, 'scope: must be a string or a number'],
    ['an unknown argument', { query: 'ab', colour: 'SECRET' }, '(arguments): unknown colour'],
    ['no object at all', 'SECRET', '(arguments): must be an object'],
    ['nothing', undefined, '(arguments): is required'],
  ])('P13: %s is refused by name and without its value', (_, input, said) => {
    const message = messageOf(() => search.parse(input));
    expect(message).toBe(`Invalid arguments for tool 'search': ${said}`);
    expect(message).not.toContain('SECRET');
    expect(message).not.toContain('9999');
  });

  test('every wrong argument is named, at most ten', () => {
    expect(messageOf(() => search.parse({ query: 1, limit: 'x' }))).toContain(
      'query: must be a string; limit: must be',
    );
    const wide = defineTool({
      name: 'wide',
      description: '',
      input: z.object({ list: z.array(z.string()) }),
      execute: () => '',
    });
    const message = messageOf(() => wide.parse({ list: Array.from({ length: 40 }, () => 1) }));
    expect(message).toMatch(/list\.9: .*; and 30 more$/);
  });

  test('a refinement speaks with the words of its author', () => {
    const range = defineTool({
      name: 'range',
      description: '',
      input: z
        .object({ from: z.number(), to: z.number() })
        .refine(({ from, to }) => from <= to, { error: 'must not lie behind `to`', path: ['from'] }),
      execute: () => '',
    });
    expect(messageOf(() => range.parse({ from: 2, to: 1 }))).toContain('from: must not lie behind `to`');
    expect(messageOf(() => range.parse({ from: 1, to: 2, by: 3 }))).toContain('unknown by');
  });

  test('an open object keeps unknown arguments', () => {
    const open = defineTool({
      name: 'open',
      description: '',
      input: z.looseObject({ a: z.string() }),
      execute: () => '',
    });
    expect(open.parse({ a: 'x', b: 1 })).toEqual({ a: 'x', b: 1 });
    expect(open.inputSchema['additionalProperties']).not.toBe(false);
  });
});

describe('input schema', () => {
  test('an input schema is an object that providers accept: no $schema, closed, defaults optional', () => {
    expect(search.inputSchema).toEqual({
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 2, description: 'looks for a loop' },
        limit: { type: 'integer', maximum: 50, default: 10 },
        order: { type: 'string', enum: ['new', 'old'] },
        where: {
          type: 'object',
          properties: { folder: { type: 'string' } },
          required: ['folder'],
          additionalProperties: false,
        },
        scope: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      },
      required: ['query'],
      additionalProperties: false,
    });
  });

  test('shapes that are used twice are written out, not referred to', () => {
    const point = z.object({ x: z.number() });
    const line = defineTool({
      name: 'line',
      description: '',
      input: z.object({ from: point, to: point, via: z.union([point, z.array(point)]) }),
      execute: () => '',
    });
    expect(JSON.stringify(line.inputSchema)).not.toContain('$ref');
    expect(line.parse({ from: { x: 1 }, to: { x: 2 }, via: [{ x: 3 }] })).toEqual({
      from: { x: 1 },
      to: { x: 2 },
      via: [{ x: 3 }],
    });
  });

  test.each([
    ['a date', z.object({ when: z.date() })],
    ['a transformation', z.object({ url: z.string().transform((value) => new URL(value)) })],
  ])('%s is refused at definition: an event could not keep it', (_, input) => {
    const define = () => defineTool({ name: 'bad', description: '', input, execute: () => '' });
    expect(define).toThrow(expect.objectContaining({ code: 'INVALID_DEFINITION', cause: expect.any(Error) }));
  });

  test.each(['', 'has space', 'ünicode', 'x'.repeat(65)])('name %j is refused at definition', (name) => {
    expect(() => defineTool({ name, description: '', input: z.object({}), execute: () => '' })).toThrow(
      expect.objectContaining({ code: 'INVALID_DEFINITION' }),
    );
  });
});

describe('result', () => {
  const returning = (
    value: string | ReturnType<typeof text> | { content: ReturnType<typeof text>; isError: boolean },
  ) => defineTool({ name: 'free', description: '', input: z.object({}), execute: () => value });

  test('text, content parts and whole results are taken as they are', async () => {
    const content = text('hello');
    expect(await returning('hello').execute({}, context())).toEqual({ content });
    expect(await returning(content).execute({}, context())).toEqual({ content });
    const failed = { content, isError: true };
    expect(await returning(failed).execute({}, context())).toEqual(failed);
  });

  const sum = defineTool({
    name: 'sum',
    description: '',
    input: z.object({ of: z.array(z.number()) }),
    output: z.object({ sum: z.number(), unit: z.string().default('none') }),
    execute: ({ of }) => ({ sum: of.reduce((total, each) => total + each, 0) }),
  });

  test('a value of the output schema is read as JSON, defaults included', async () => {
    expect(await sum.execute({ of: [1, 2] }, context())).toEqual({ content: text('{"sum":3,"unit":"none"}') });
  });

  test('a value that the output schema refuses rejects INVALID_OUTPUT', async () => {
    await expect(sum.execute({ of: [Number.NaN] }, context())).rejects.toSatisfy((error) =>
      isToolError(error, 'INVALID_OUTPUT'),
    );
  });

  test('an empty list of an output schema is read as a list, not as no content', async () => {
    const none = defineTool({
      name: 'none',
      description: '',
      input: z.object({}),
      output: z.array(z.number()),
      execute: () => [],
    });
    expect(await none.execute({}, context())).toEqual({ content: text('[]') });
  });

  test('render decides what the model reads', async () => {
    const tool = defineTool({
      name: 'rendered',
      description: '',
      input: z.object({}),
      output: z.object({ url: z.string() }),
      render: ({ url }) => [{ type: 'image', image_urls: [url] }],
      execute: () => ({ url: 'data:,x' }),
    });
    expect(await tool.execute({}, context())).toEqual({ content: [{ type: 'image', image_urls: ['data:,x'] }] });
  });

  test('an error of execute is passed on, even a synchronous one', async () => {
    const failure = new ToolError('FAILED', 'no such city');
    const tool = defineTool({
      name: 'fails',
      description: '',
      input: z.object({}),
      execute: (): string => {
        throw failure;
      },
    });
    await expect(tool.execute({}, context())).rejects.toBe(failure);
  });
});

describe('abort', () => {
  test('P7: an aborted call rejects with the reason and does not start', async () => {
    let started = false;
    const tool = defineTool({
      name: 'late',
      description: '',
      input: z.object({}),
      execute: () => {
        started = true;
        return '';
      },
    });
    const reason = new Error('stop');
    await expect(tool.execute({}, context(AbortSignal.abort(reason)))).rejects.toBe(reason);
    expect(started).toBe(false);
  });

  test('P7: the signal reaches execute', async () => {
    const controller = new AbortController();
    const tool = defineTool({
      name: 'waits',
      description: '',
      input: z.object({}),
      execute: (_, { signal }) =>
        new Promise<string>((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        }),
    });
    const call = tool.execute({}, context(controller.signal));
    const reason = new Error('stop');
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });
});

test('a read-only tool needs no resource unless it declares some', () => {
  const look = { name: 'look', description: '', input: z.object({}), execute: () => '' };
  expect(defineTool({ ...look, annotations: { readOnly: true } }).resources({})).toEqual([]);
  expect(defineTool({ ...look, annotations: { readOnly: true }, resources: () => ['x'] }).resources({})).toEqual(['x']);
  expect(defineTool(look).resources({})).toBeUndefined();
});

test('a tool names the resources of each call', () => {
  const tool = defineTool({
    name: 'write',
    description: '',
    input: z.object({ path: z.string() }),
    resources: ({ path }) => [`file:${path}`],
    execute: () => '',
  });
  expect(tool.resources({ path: '/a' })).toEqual(['file:/a']);
});

test('an error of another copy of the package is recognised by its brand', () => {
  const foreign = Object.defineProperty(
    Object.assign(new Error('x'), { code: 'FAILED' }),
    Symbol.for('conv.tool.error'),
    {
      value: true,
    },
  );
  expect(isToolError(foreign, 'FAILED')).toBe(true);
  expect(isToolError(foreign, 'INVALID_INPUT')).toBe(false);
  expect(isToolError(new Error('x'))).toBe(false);
});
