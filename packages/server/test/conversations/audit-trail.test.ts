import { ConversationState, type JsonObject } from '@conv/core';
import { drafts, isEvent } from '@conv/core/events';
import { MemoryStore } from '@conv/core/store';
import { toolCall } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import type { Principal } from '../../src/auth/principal.ts';
import { type AuditEntry, auditTrail } from '../../src/conversations/audit-trail.ts';
import { message } from '../support/conversation-calls.ts';
import { newConversation, startServer, until, type TestServer } from '../support/test-server.ts';
import { echoTool } from '../support/waiting-tool.ts';

const ID = 'c0ffee00-0000-4000-8000-000000000001';

function principal(key: string): Principal | undefined {
  return ['ann', 'bob'].includes(key) ? { name: key, scopes: ['read', 'run', 'approve'] } : undefined;
}

const by = (key: string): Record<string, string> => ({ 'x-session-api-key': key });

/** A server with a conversation of ann's that called a tool under a policy. */
async function called(
  policy: string,
  more: { readonly approvalTimeout?: number } = {},
): Promise<{ server: TestServer; path: string; id: string }> {
  const turns = [{ calls: [{ name: 'echo', arguments: { text: 'hi' } }] }, { text: 'done' }];
  const server = await startServer({ principal, sessionKeys: ['operator'], turns, tools: [echoTool], ...more });
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

/** The decisions, without what keys did beside them. */
async function trail({ store }: TestServer, conversation?: string): Promise<readonly AuditEntry[]> {
  const all = await Array.fromAsync(auditTrail(store, conversation === undefined ? {} : { conversation }));
  return all.filter(({ decision }) => !['started', 'run', 'used'].includes(decision));
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

test('P10: the trail says that a message came instead of a decision', async () => {
  const made = await called('AlwaysConfirm');
  await rests(made, 'waiting_for_confirmation');
  await made.server.call('POST', `${made.path}/events`, message('rather not', { run: true }), by('bob'));
  await rests(made, 'finished');
  expect((await trail(made.server)).map(({ decision, by: name }) => [decision, name])).toEqual([
    ['held', null],
    ['superseded', null],
  ]);
});

test('P10: the trail says that no person decided in time', async () => {
  const made = await called('AlwaysConfirm', { approvalTimeout: 1 });
  await until(async () => (await trail(made.server)).some(({ decision }) => decision === 'expired'));
  expect((await trail(made.server)).map(({ decision, by: name }) => [decision, name])).toEqual([
    ['held', null],
    ['expired', null],
  ]);
});

test('P10: a person without a name cannot make a rejection look as if it had expired', async () => {
  const made = await called('AlwaysConfirm');
  await rests(made, 'waiting_for_confirmation');
  const reason = 'No person decided on this call in time, which is 1 hour; it was not executed.';
  await made.server.call('POST', `${made.path}/reject`, { reason }, by('operator'));
  expect((await trail(made.server)).at(-1)).toMatchObject({ decision: 'rejected', by: null });
});

test('P10: the trail names a hook that blocks an action, and does not hold an action that failed', async () => {
  const store = new MemoryStore();
  const state = await ConversationState.open(await store.open(ID, { owner: 'test' }), { id: ID });
  const calls = await state.append([toolCall('failed', 'r1'), toolCall('blocked', 'r1'), toolCall('held', 'r1')]);
  const [failed, blocked, held] = calls.filter((event) => isEvent(event, 'ActionEvent'));
  if (!failed || !blocked || !held) throw new Error('expected three actions');
  await state.append([drafts.agentError(failed, 'no such tool'), drafts.userReject(blocked, 'not here', 'hook')]);
  await state.update({ set: { executionStatus: 'waiting_for_confirmation' } });
  await state.append([drafts.userReject(held)]);
  await state.close();
  const found = await Array.fromAsync(auditTrail(store));
  expect(found.map(({ decision, actions }) => [decision, actions.map(({ id }) => id)])).toEqual([
    ['blocked', [blocked.id]],
    ['held', [held.id]],
    ['rejected', [held.id]],
  ]);
});

test('P10: an action that fails in the commit that asks a person is not told as held', async () => {
  const store = new MemoryStore();
  const state = await ConversationState.open(await store.open(ID, { owner: 'test' }), { id: ID });
  const [failed, held] = (await state.append([toolCall('failed', 'r1'), toolCall('held', 'r1')])).filter((event) =>
    isEvent(event, 'ActionEvent'),
  );
  if (!failed || !held) throw new Error('expected two actions');
  const patch = { set: { executionStatus: 'waiting_for_confirmation' as const } };
  await state.append([drafts.agentError(failed, 'no such tool')], { patch });
  await state.close();
  const found = await Array.fromAsync(auditTrail(store));
  expect(found.map(({ decision, actions }) => [decision, actions.map(({ id }) => id)])).toEqual([['held', [held.id]]]);
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
