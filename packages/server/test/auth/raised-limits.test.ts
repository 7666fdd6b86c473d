import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import type { ConversationInfo } from '@conv/openhands/rest';
import { expect, onTestFinished, test } from 'vitest';

import { SettingsStore } from '../../src/settings/settings-store.ts';
import { newConversation, startServer, type TestServer } from '../support/test-server.ts';

type Caller = Record<string, string>;

const SESSION: Caller = { 'x-session-api-key': 'the-session-key' };
const APPROVER: Caller = { 'x-session-api-key': 'the-approver-key' };
const LIMITS = { max_iterations: 5, max_budget_per_run: 1, max_budget: 2, tool_timeout: 1000 };

/** Starts a server, with an approver key by default. */
async function serve({ approverKeys = [APPROVER['x-session-api-key'] as string] } = {}): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'conv-kept-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const sessionKeys = [SESSION['x-session-api-key'] as string];
  return startServer({ turns: [], sessionKeys, approverKeys, settingsStore: new SettingsStore(folder, undefined) });
}

async function limited(server: TestServer): Promise<string> {
  const asks = { confirmation_policy: { kind: 'AlwaysConfirm' } };
  const body = { ...newConversation(server.folder), ...asks, ...LIMITS };
  const { body: made } = await server.call<ConversationInfo>('POST', '/api/conversations', body, SESSION);
  return made.id;
}

/** Changes that let a conversation go further, or with less supervision. */
const loosening: readonly (readonly [path: string, body: JsonObject])[] = [
  ['settings', { max_iterations: 6 }],
  ['settings', { max_budget_per_run: 1.01 }],
  ['settings', { max_budget_per_run: null }],
  ['settings', { max_budget: 3 }],
  ['settings', { max_budget: null }],
  ['settings', { tool_timeout: 1001 }],
  ['settings', { tool_timeout: null }],
  ['settings', { stuck_detection: false }],
  ['settings', { max_iterations: 4, max_budget: 9 }],
  ['run', { max_iterations: 6 }],
];

test('P10: a session key raises no limit and takes no watch away on a server with an approver key', async () => {
  const server = await serve();
  const id = await limited(server);
  const before = await server.call<JsonObject>('GET', `/api/conversations/${id}/state`, undefined, SESSION);
  for (const [path, body] of loosening) {
    const { status, body: said } = await server.call('POST', `/api/conversations/${id}/${path}`, body, SESSION);
    expect([path, body, status]).toEqual([path, body, 403]);
    expect(JSON.stringify(said)).toMatch(/needs the scope approve: show a key that may approve/);
  }
  const after = await server.call<JsonObject>('GET', `/api/conversations/${id}/state`, undefined, SESSION);
  expect(after.body).toEqual(before.body);
});

test('P10: a session key may lower limits, and an approver key raises them', async () => {
  const server = await serve();
  const path = `/api/conversations/${await limited(server)}/settings`;
  const lower = { max_iterations: 4, max_budget_per_run: 0.5, max_budget: 1, tool_timeout: 10, stuck_detection: true };
  expect((await server.call('POST', path, lower, SESSION)).status).toBe(200);
  expect((await server.call('POST', path, { max_iterations: 5 }, SESSION)).status).toBe(403);
  const higher = { max_iterations: 9, max_budget_per_run: null, max_budget: 7, stuck_detection: false };
  expect((await server.call('POST', path, higher, APPROVER)).status).toBe(200);
});

test('a session key raises limits on a server without an approver key', async () => {
  const server = await serve({ approverKeys: [] });
  const path = `/api/conversations/${await limited(server)}/settings`;
  expect((await server.call('POST', path, { max_iterations: 99, max_budget: null }, SESSION)).status).toBe(200);
});

const server = { command: 'node', args: ['server.js'] };

test.each<[method: string, path: string, body: JsonObject]>([
  ['PATCH', '/api/settings', { conversation_settings_diff: { confirmation_mode: false } }],
  ['PATCH', '/api/settings', { conversation_settings_diff: { security_analyzer: 'llm' } }],
  ['PATCH', '/api/settings', { conversation_settings_diff: { security_analyzer: null } }],
  ['PATCH', '/api/settings', { conversation_settings_diff: { max_iterations: 501 } }],
  ['PATCH', '/api/settings', { agent_settings_diff: { mcp_config: { own: server } } }],
  ['POST', '/api/settings/mcp/own', server],
])('P10: a session key keeps nothing that has conversations to come ask less: %s %s %j', async (method, path, body) => {
  const kept = await serve();
  const careful = { conversation_settings_diff: { confirmation_mode: true, security_analyzer: 'pattern' } };
  expect((await kept.call('PATCH', '/api/settings', careful, SESSION)).status).toBe(200);
  expect((await kept.call(method, path, body, SESSION)).status).toBe(403);
  expect([200, 201]).toContain((await kept.call(method, path, body, APPROVER)).status);
});
