import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  commandRoutes,
  conversationRoutes,
  eventRoutes,
  llmProfileRoutes,
  readPart,
  type RequestPart,
  settingsRoutes,
  type ValidationIssue,
} from '../../src/rest/index.ts';

function issues(
  schema: z.ZodType | undefined,
  value: unknown,
  where: RequestPart = 'body',
): readonly ValidationIssue[] {
  const part = readPart(schema ?? z.never(), value, where);
  if (part.ok) throw new Error('it was read');
  return part.error.detail;
}

describe('each issue has the word that clients know', () => {
  const cases: readonly (readonly [schema: z.ZodType, value: unknown, type: string])[] = [
    [z.object({ a: z.string() }), {}, 'missing'],
    [z.string(), 5, 'string_type'],
    [z.number(), 'x', 'float_parsing'],
    [z.int(), 1.5, 'int_from_float'],
    [z.boolean(), 'perhaps', 'bool_parsing'],
    [z.array(z.string()), 'x', 'list_type'],
    [z.object({}), [], 'model_attributes_type'],
    [z.record(z.string(), z.string()), 5, 'dict_type'],
    [z.enum(['a', 'b']), 'c', 'enum'],
    [z.literal('a'), 'c', 'literal_error'],
    [z.string().regex(/^a$/), 'c', 'string_pattern_mismatch'],
    [z.string().min(2), 'c', 'string_too_short'],
    [z.string().max(2), 'ccc', 'string_too_long'],
    [z.array(z.string()).min(1), [], 'too_short'],
    [z.array(z.string()).max(1), ['a', 'b'], 'too_long'],
    [z.number().gt(0), 0, 'greater_than'],
    [z.number().gte(1), 0, 'greater_than_equal'],
    [z.number().lt(0), 0, 'less_than'],
    [z.number().lte(1), 2, 'less_than_equal'],
    [z.strictObject({}), { a: 1 }, 'extra_forbidden'],
  ];
  test.each(cases)('%#: %j is %s', (schema, value, type) => {
    expect(issues(schema, value).map((issue) => issue.type)).toEqual([type]);
  });
});

test('the error of a member that must be a whole number says so', () => {
  const told = issues(conversationRoutes.start.body, { workspace: { working_dir: '/' }, max_iterations: 'many' });
  expect(told).toMatchObject([{ type: 'int_parsing', loc: ['body', 'max_iterations'], input: '<redacted>' }]);
});

test('a place is named from the part of the request on', () => {
  expect(issues(eventRoutes.search.query, { limit: '101' }, 'query')).toEqual([
    {
      type: 'less_than_equal',
      loc: ['query', 'limit'],
      msg: 'Input should be less than or equal to 100',
      input: '101',
      ctx: { le: 100 },
    },
  ]);
});

test('the error of a union is that of the closest form', () => {
  const schema = z.union([z.string(), z.object({ a: z.object({ b: z.number() }) })]);
  expect(issues(schema, { a: { b: 'x' } })).toMatchObject([{ loc: ['body', 'a', 'b'], type: 'float_parsing' }]);
});

describe('P9: errors show no secret', () => {
  const secret = 'hunter2-hunter2';
  const agent = {
    llm: { model: 'm', api_key: [secret], aws_secret_access_key: { a: secret }, extra_headers: { Authorization: 7 } },
  };

  test.each([
    ['keys of a model', conversationRoutes.start.body, { workspace: { working_dir: '/' }, agent }],
    [
      'values of secrets',
      conversationRoutes.start.body,
      { workspace: { working_dir: '/' }, secrets: { TOKEN: secret } },
    ],
    ['values of secrets that are set', commandRoutes.updateSecrets.body, { secrets: { A: [secret], B: 7 } }],
    ['a value with a wrong name', settingsRoutes.setSecret.body, { name: '1', value: [secret] }],
    ['a model that is kept', llmProfileRoutes.save.body, { llm: secret }],
    ['a whole body', conversationRoutes.start.body, secret],
    [
      'an environment',
      conversationRoutes.start.body,
      {
        workspace: { working_dir: '/' },
        agent: { llm: {}, mcp_config: { a: { env: secret, headers: { X: [secret] } } } },
      },
    ],
  ])('%s', (_, schema, value) => {
    const told = issues(schema, value).filter(({ loc }) => loc.length > 1);
    expect(JSON.stringify(told)).not.toContain('hunter2');
  });

  test('errors show no ciphertext and no tokens, wherever they are', () => {
    for (const text of ['gAAAAABpX', 'sk-proj-1', 'ghp_123', 'Bearer abc', 'eyJhbGciOi'])
      expect(issues(z.object({ name: z.literal('x') }), { name: text }, 'query')).toMatchObject([
        { input: '<redacted>' },
      ]);
  });
});

test('P13: a great many wrong items are answered with a few issues, and a long text with its beginning', () => {
  const items = Array.from({ length: 10_000 }, () => 'x'.repeat(1000));
  const told = issues(z.array(z.string().max(3)), items, 'query');
  expect(told).toHaveLength(50);
  expect(String(told[0]?.input)).toHaveLength(200);
});
