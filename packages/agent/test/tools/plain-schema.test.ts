import { expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '@conv/core/events';
import { plainSchema } from '../../src/tools/plain-schema.ts';

test('references are put in place, "or null" is left out, kind is no parameter', () => {
  const schema: JsonObject = {
    $defs: { Item: { type: 'object', properties: { title: { type: 'string' } } } },
    type: 'object',
    properties: {
      kind: { const: 'X' },
      items: { type: 'array', items: { $ref: '#/$defs/Item' } },
      path: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null, description: 'Where.' },
      either: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
    },
    required: ['kind', 'items'],
  };
  expect(plainSchema(schema)).toEqual({
    type: 'object',
    properties: {
      items: { type: 'array', items: { type: 'object', properties: { title: { type: 'string' } } } },
      path: { type: 'string', description: 'Where.' },
      either: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
    },
    required: ['items'],
  });
});

test('a schema inside itself ends as any object, and so does a missing schema', () => {
  interface Node {
    readonly child?: Node | undefined;
  }
  const node: z.ZodType<Node> = z.lazy(() => z.object({ child: node.optional() }));
  const plain = plainSchema(z.toJSONSchema(z.object({ root: node })) as JsonObject);
  expect(JSON.stringify(plain)).not.toContain('$ref');
  expect(plainSchema({ properties: { a: { $ref: '#/$defs/missing' }, b: { $ref: '#' } } })).toEqual({
    type: 'object',
    properties: { a: { type: 'object' }, b: { properties: { a: { type: 'object' }, b: { type: 'object' } } } },
  });
});

test('a schema whose parts hold others twice, over and over, stays small: the rest is any object', () => {
  const next = (level: number): JsonObject => ({ $ref: `#/$defs/${level + 1}` });
  const levels = Array.from({ length: 60 }, (_, level): [string, JsonObject] => [
    `${level}`,
    { type: 'object', properties: { one: next(level), other: next(level) } },
  ]);
  const schema: JsonObject = { type: 'object', properties: { all: next(-1) }, $defs: Object.fromEntries(levels) };
  const plain = plainSchema(schema);
  expect(JSON.stringify(plain).length).toBeLessThan(200_000);
  expect(plain).toMatchObject({
    properties: { all: { properties: { one: { properties: { one: { type: 'object' } } } } } },
  });
});
