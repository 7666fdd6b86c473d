import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openApiDocument } from '../../src/index.ts';
import { routes } from '../../src/rest/index.ts';
import { acceptedDifferences } from './accepted-differences.ts';
import { compareDocuments } from './compare-documents.ts';
import type { Json } from './normal-schema.ts';

const reference = JSON.parse(readFileSync(new URL('./openapi.structure.json', import.meta.url), 'utf8')) as Json;
const document = openApiDocument({ title: 'Agent server', version: '1.43.1' });
const ours = JSON.parse(JSON.stringify(document)) as Json;
const comparison = compareDocuments(reference, ours);

describe("the document is that of OpenHands' server", () => {
  test('all operations of OpenHands and their members are compared', () => {
    expect(comparison.operations).toBe(55);
    expect(comparison.members).toBeGreaterThan(900);
  });

  test('every difference is accepted for a reason', () => {
    const unexpected = comparison.differences.filter(
      (difference) => !acceptedDifferences.some(({ pattern }) => pattern.test(difference)),
    );
    expect(unexpected).toEqual([]);
  });

  test.each(acceptedDifferences)('accepted: $reason', ({ pattern, count }) => {
    expect(comparison.differences.filter((difference) => pattern.test(difference))).toHaveLength(count);
  });
});

/** Changes of the document that a comparison must notice. */
const changes: readonly (readonly [name: string, change: (document: Json) => void])[] = [
  ['a path', (changed) => Reflect.deleteProperty(changed['paths'] as object, '/health')],
  ['a method', (changed) => Reflect.deleteProperty(operations(changed, '/api/conversations'), 'get')],
  ['a parameter', (changed) => Object.assign(search(changed), { parameters: [] })],
  ['whether a parameter is required', (changed) => Object.assign(parameter(changed, 'ids'), { required: false })],
  [
    'the default of a parameter',
    (changed) => Object.assign(schemaOf(parameter(changed, 'include_skills')), { default: true }),
  ],
  ['a status', (changed) => Reflect.deleteProperty(search(changed)['responses'] as object, '404')],
  ['a member', (changed) => Reflect.deleteProperty(members(changed, 'ConversationInfo'), 'title')],
  ['the type of a member', (changed) => Object.assign(members(changed, 'GitDiff'), { original: { type: 'integer' } })],
  [
    'whether a member can be null',
    (changed) => Object.assign(members(changed, 'GitDiff'), { original: { type: 'string' } }),
  ],
  ['whether a member is required', (changed) => Object.assign(component(changed, 'GitDiff'), { required: [] })],
  ['the default of a member', (changed) => Object.assign(members(changed, 'LLM')['num_retries'] ?? {}, { default: 6 })],
  ['the values of a member', (changed) => Object.assign(component(changed, 'GitChangeStatus'), { enum: ['ADDED'] })],
  ['a member that is new', (changed) => Object.assign(members(changed, 'GitDiff'), { more: { type: 'string' } })],
];

test.each(changes)('the comparison notices %s', (_, change) => {
  const changed = structuredClone(ours);
  change(changed);
  expect(compareDocuments(reference, changed).differences).not.toEqual(comparison.differences);
});

describe('the document', () => {
  test('the document refers to nothing that it does not have', () => {
    const text = JSON.stringify(document);
    const names = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => String(name));
    expect(names.length).toBeGreaterThan(200);
    expect(names.filter((name) => document.components.schemas[name] === undefined)).toEqual([]);
    expect(text).not.toContain('#/$defs');
  });

  test('the document has every route once, each under its own name', () => {
    const named = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((one) => one.operationId),
    );
    expect(named).toHaveLength(routes.length);
    expect(new Set(named).size).toBe(routes.length);
  });

  test('the document asks for the key wherever OpenHands does', () => {
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(methods)) {
        // a browser opens and ends its session without one, and a server that waits for its configuration has none
        const isOpen = path === '/api/init' || (path === '/api/auth/session' && method !== 'get');
        const asks = !isOpen && /^\/(?:api|app-backends|v1|metrics)\b/.test(path);
        expect([method, path, operation.security.length > 0]).toEqual([method, path, asks]);
      }
  });
});

function operations(changed: Json, path: string): Readonly<Record<string, Json>> {
  return (changed['paths'] as Readonly<Record<string, Readonly<Record<string, Json>>>>)[path] ?? {};
}

function search(changed: Json): Json {
  return operations(changed, '/api/conversations/{conversation_id}/events/search')['get'] ?? {};
}

function parameter(changed: Json, name: string): Json {
  const { parameters } = operations(changed, '/api/conversations')['get'] ?? {};
  return (parameters as readonly Json[]).find((one) => one['name'] === name) ?? {};
}

function schemaOf(changed: Json): Json {
  return changed['schema'] as Json;
}

function component(changed: Json, name: string): Json {
  return (changed['components'] as { readonly schemas: Readonly<Record<string, Json>> }).schemas[name] ?? {};
}

function members(changed: Json, name: string): Readonly<Record<string, Json>> {
  return component(changed, name)['properties'] as Readonly<Record<string, Json>>;
}
