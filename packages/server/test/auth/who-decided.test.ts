import type { JsonObject } from '@conv/core';
import { expect, test } from 'vitest';

import type { Principal } from '../../src/auth/principal.ts';
import { message } from '../support/conversation-calls.ts';
import { newConversation, startServer, until, type TestServer } from '../support/test-server.ts';
import { echoTool } from '../support/waiting-tool.ts';

function principal(key: string): Principal | undefined {
  return ['ann', 'bob'].includes(key) ? { name: key, scopes: ['read', 'run', 'approve'] } : undefined;
}

/** A server with a conversation whose call waits for approval. */
async function waiting(): Promise<{ server: TestServer; path: string }> {
  const turns = [{ calls: [{ name: 'echo', arguments: { text: 'hi' } }] }, { text: 'done' }];
  const server = await startServer({ principal, sessionKeys: ['operator'], turns, tools: [echoTool] });
  const body = {
    ...newConversation(server.folder),
    confirmation_policy: { kind: 'AlwaysConfirm' },
    initial_message: message('go'),
  };
  const made = await server.call<{ id: string }>('POST', '/api/conversations', body, by('ann'));
  const path = `/api/conversations/${made.body.id}`;
  await until(async () => {
    const { body: info } = await server.call('GET', path, undefined, by('ann'));
    return info['execution_status'] === 'waiting_for_confirmation';
  });
  return { server, path };
}

function by(key: string): Record<string, string> {
  return { 'x-session-api-key': key };
}

interface WireCommits {
  readonly commits: readonly {
    readonly patch?: { readonly set?: { readonly extra?: { readonly meta: JsonObject } } };
  }[];
}

/** The names in the commits that record a decision. */
async function deciders(server: TestServer, path: string): Promise<readonly unknown[]> {
  const { body } = await server.call<WireCommits>('GET', `${path}/commits`, undefined, by('ann'));
  return body.commits
    .slice(1)
    .map(({ patch }) => patch?.set?.extra?.meta['conv_decided_by'])
    .filter((name) => name !== undefined);
}

test.each([
  ['approve', {}],
  ['reject', { reason: 'no' }],
  ['run', {}],
  ['events/respond_to_confirmation', { accept: true }],
  ['events/respond_to_confirmation', { accept: false }],
])('P10: the commit of a decision by %s names the key that decided: %j', async (route, body) => {
  const { server, path } = await waiting();
  expect((await server.call('POST', `${path}/${route}`, body, by('bob'))).status).toBe(200);
  expect(await deciders(server, path)).toEqual(['bob']);
});

test('P10: a decision with a key of the configuration has no name', async () => {
  const { server, path } = await waiting();
  expect((await server.call('POST', `${path}/approve`, {}, by('operator'))).status).toBe(200);
  expect(await deciders(server, path)).toEqual([]);
});

test.each([
  ['changes the policy', 'confirmation_policy', { policy: { kind: 'NeverConfirm' } }],
  ['starts a run', 'run', {}],
])('P10: the commit of a key that %s names no earlier decider', async (_, route, body) => {
  const { server, path } = await waiting();
  expect((await server.call('POST', `${path}/reject`, {}, by('bob'))).status).toBe(200);
  expect((await server.call('POST', `${path}/${route}`, body, by('ann'))).status).toBe(200);
  expect(await deciders(server, path)).toEqual(['bob']);
});
