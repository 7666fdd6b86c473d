import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import { routes, type Route } from '@conv/openhands/rest';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';

import { ended, events, message } from '../support/conversation-calls.ts';
import { startServer } from '../support/test-server.ts';

/** Routes that run nothing but the agent. */
const TAGS: ReadonlySet<string> = new Set(['Conversations', 'Events', 'History']);
const all: readonly Route[] = Object.values(routes);
const mine = all.filter(({ tag }) => TAGS.has(tag));

/** Words that mean something to some route, so that more than the first check is reached. */
const meant =
  'user text content type kind role agent llm model scripted Agent policy tags AlwaysConfirm ConfirmRisky secrets value workspace ' +
  'working_dir title event_id question initial_message run accept reason action_ids profile_name security_analyzer objective';
const odd = [
  '__proto__',
  'constructor',
  'toString',
  '',
  '\u0000',
  '\ud800',
  '💥',
  '../../etc/passwd',
  '-1',
  '1e999',
  'null',
];
const words = fc.constantFrom(...meant.split(' '), ...odd);
const leaf = fc.oneof(words, fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
const { value: json } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(words, fc.string()), tie('value'), { maxKeys: 6, noNullPrototype: true }),
  ),
}));
const query = fc.dictionary(
  fc.constantFrom(
    'limit',
    'page_id',
    'kind',
    'source',
    'body',
    'sort_order',
    'timestamp__gte',
    'status',
    'ids',
    'after',
    'at',
  ),
  fc.oneof(words, fc.string(), fc.integer().map(String)),
  { maxKeys: 4 },
);

describe('P13: whatever a client sends', () => {
  test.each(mine.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s refuses it or does it, and never fails',
    async (_name, route) => {
      const server = await startServer({ turns: [{ text: 'hi' }], workspaceRoots: [tmpdir()] });
      const { id } = await server.make({ initial_message: message('go') });
      await ended(server, id);
      const before = await events(server, id);
      const ids = fc.constantFrom(id, randomUUID(), id.toUpperCase(), 'nothing', '%00', '..%2f..', '%ff');
      await fc.assert(
        fc.asyncProperty(
          ids,
          fc.oneof(words, fc.string()),
          query,
          fc.option(json),
          async (conversation, event, asked, body) => {
            // deleting it is allowed, and would end the test
            const chosen = route.method === 'DELETE' && conversation !== 'nothing' ? randomUUID() : conversation;
            const path = route.path
              .replace('{conversation_id}', chosen)
              .replace('{event_id}', encodeURIComponent(event.toWellFormed()) || 'x');
            const search = new URLSearchParams(
              Object.entries(asked).map(([key, value]): [string, string] => [key, value.toWellFormed()]),
            );
            // a stream that ends, and a request that does not wait
            search.set('follow', 'false');
            search.set('wait', '0');
            const sent = body === null ? undefined : JSON.stringify(body);
            const { status } = await server.call(route.method, `${path}?${search.toString()}`, sent);
            expect(status).toBeGreaterThanOrEqual(200);
            expect(status === 502 || status < 500).toBe(true);
          },
        ),
        { numRuns: 40 },
      );
      expect((await events(server, id)).slice(0, before.length)).toEqual(before);
      expect(
        server.reported.filter(({ doing }) => doing.startsWith('answering') && !doing.includes('ask_agent')),
      ).toEqual([]);
    },
  );
});

/** A request with many members. */
const whole: JsonObject = {
  agent: {
    kind: 'Agent',
    llm: { model: 'scripted', api_key: 'k', temperature: 0.5, fallback_strategy: null },
    tools: [{ name: 'terminal', params: {} }],
    agent_context: { skills: [{ name: 's', content: 'c', trigger: { type: 'keyword', keywords: ['k'] } }] },
    condenser: { kind: 'LLMSummarizingCondenser', llm: { model: 'scripted' }, max_size: 80 },
    mcp_config: { files: { command: 'x', args: ['y'], env: { A: 'b' } } },
  },
  initial_message: { role: 'user', content: [{ type: 'text', text: 'hi' }], run: false },
  confirmation_policy: { kind: 'ConfirmRisky', threshold: 'LOW' },
  security_analyzer: { kind: 'EnsembleSecurityAnalyzer', analyzers: [{ kind: 'LLMSecurityAnalyzer' }] },
  tags: { a: 'b' },
  client_tools: [{ name: 'ui', description: 'd', parameters: { type: 'object', properties: {} } }],
  max_iterations: 3,
  observability_metadata: { a: ['b'] },
  agent_launch_additions: { system_message_suffix_append: 'more' },
};

/** Returns the value with the part at this place replaced. */
function replaced(value: unknown, at: number, by: unknown): unknown {
  let left = at;
  const walk = (part: unknown): unknown => {
    if (left-- === 0) return by;
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, walk(member)]));
  };
  return walk(value);
}

test('P13: a request with one of its parts replaced by anything is refused or done, and never fails', async () => {
  const root = mkdtempSync(join(tmpdir(), 'conv-fuzz-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const server = await startServer({ workspaceRoots: [root] });
  const valid = { ...whole, workspace: { working_dir: join(root, 'work'), kind: 'LocalWorkspace' } };
  const made = await server.call('POST', '/api/conversations', valid);
  expect([made.status, made.body['detail']]).toEqual([201, undefined]);
  await fc.assert(
    fc.asyncProperty(fc.nat(60), json, async (at, by) => {
      const { status } = await server.call('POST', '/api/conversations', replaced(valid, at, by));
      expect([200, 201, 404, 409, 422]).toContain(status);
    }),
    { numRuns: 300 },
  );
  expect(server.reported).toEqual([]);
});

test('every route of conversations, events and history is served', async () => {
  const server = await startServer();
  const { id } = await server.make();
  for (const route of mine) {
    const path = route.path.replace('{conversation_id}', id).replace('{event_id}', randomUUID());
    const { status, body } = await server.call(route.method, `${path}?follow=false`);
    if (route.method === 'DELETE') await server.make({ conversation_id: id });
    expect([route.operationId, status === 404 && body['detail'] === 'Not Found', status]).toEqual([
      route.operationId,
      false,
      status,
    ]);
    expect(status).not.toBe(405);
  }
});
