import type { JsonObject } from '@conv/core';
import { expect, test } from 'vitest';

import type { Principal } from '../../src/auth/principal.ts';
import { type AuditEntry, auditTrail } from '../../src/conversations/audit-trail.ts';
import { message } from '../support/conversation-calls.ts';
import { newConversation, startServer, until, type TestServer } from '../support/test-server.ts';
import { echoTool } from '../support/waiting-tool.ts';

function principal(key: string): Principal | undefined {
  return ['ann', 'bob'].includes(key) ? { name: key, scopes: ['read', 'run', 'approve'] } : undefined;
}

const by = (key: string): Record<string, string> => ({ 'x-session-api-key': key });

/** A server with a conversation of ann's that called a tool under a policy. */
async function called(policy: string): Promise<{ server: TestServer; path: string; id: string }> {
  const turns = [{ calls: [{ name: 'echo', arguments: { text: 'hi' } }] }, { text: 'done' }];
  const server = await startServer({ principal, sessionKeys: ['operator'], turns, tools: [echoTool] });
  const body = {
    ...newConversation(server.folder),
    confirmation_policy: { kind: policy },
    security_analyzer: { kind: 'LLMSecurityAnalyzer' },
    initial_message: message('go'),
  };
  const { id } = (await server.call<{ id: string }>('POST', '/api/conversations', body, by('ann'))).body;
  return { server, path: `/api/conversations/${id}`, id };
}

async function rests(
  { server, path }: { server: TestServer; path: string },
  ...statuses: readonly string[]
): Promise<void> {
  await until(async () => {
    const { body } = await server.call<JsonObject>('GET', path, undefined, by('ann'));
    return statuses.includes((body as { readonly execution_status: string }).execution_status);
  });
}

function trail({ store }: TestServer, conversation?: string): Promise<readonly AuditEntry[]> {
  return Array.fromAsync(auditTrail(store, conversation === undefined ? {} : { conversation }));
}

test.each([
  ['approve', {}, 'approved'],
  ['reject', { reason: 'no' }, 'rejected'],
])('P10: the trail names who decided by %s what a person was asked about', async (route, body, decision) => {
  const made = await called('AlwaysConfirm');
  await rests(made, 'waiting_for_confirmation');
  expect((await made.server.call('POST', `${made.path}/${route}`, body, by('bob'))).status).toBe(200);
  const found = await trail(made.server);
  const conversation = made.id;
  expect(found.map(({ decision: one, by: name, actions }) => [one, name, actions.map(({ tool }) => tool)])).toEqual([
    ['held', null, ['echo']],
    [decision, 'bob', ['echo']],
  ]);
  expect(found.every((entry) => entry.conversation === conversation && entry.after !== null)).toBe(true);
  expect(found[0]?.actions).toEqual(found[1]?.actions);
  expect(await trail(made.server, conversation)).toEqual(found);
  expect(await trail(made.server, 'c0ffee00-0000-4000-8000-00000000000f')).toEqual([]);
});

test('P10: a decision with a key of the configuration has no name', async () => {
  const made = await called('AlwaysConfirm');
  await rests(made, 'waiting_for_confirmation');
  await made.server.call('POST', `${made.path}/approve`, {}, by('operator'));
  expect((await trail(made.server)).at(-1)).toMatchObject({ decision: 'approved', by: null });
});

test('P10: the trail has what the policy let run, and each change of the policy', async () => {
  const made = await called('NeverConfirm');
  await rests(made, 'finished');
  const policy = { policy: { kind: 'AlwaysConfirm' } };
  expect((await made.server.call('POST', `${made.path}/confirmation_policy`, policy, by('bob'))).status).toBe(200);
  const found = await trail(made.server);
  expect(found.map(({ decision, by: name, set }) => [decision, name, set])).toEqual([
    ['allowed', null, undefined],
    ['policy', null, { policy: 'AlwaysConfirm' }],
  ]);
  expect(found[0]?.before).not.toBeNull();
});
