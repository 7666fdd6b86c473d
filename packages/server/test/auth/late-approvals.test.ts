import type { JsonObject } from '@conv/core';
import type { Event } from '@conv/core/events';
import type { ConversationInfo, Page } from '@conv/openhands/rest';
import { expect, test } from 'vitest';

import { message } from '../support/conversation-calls.ts';
import { newConversation, startServer, until, type TestServer } from '../support/test-server.ts';
import { echoTool, waitingTool } from '../support/waiting-tool.ts';

const SESSION = { 'x-session-api-key': 'the key of a session' };
const APPROVER = { 'x-session-api-key': 'the key of an approver' };

async function start(server: TestServer, headers: Record<string, string>, more: JsonObject): Promise<string> {
  const body = { ...newConversation(server.folder), initial_message: message('go'), ...more };
  const made = await server.call<ConversationInfo>('POST', '/api/conversations', body, headers);
  expect(made.status).toBe(201);
  return `/api/conversations/${made.body.id}`;
}

/** The status when the run has ended. */
async function restsAs(server: TestServer, path: string): Promise<string> {
  return until(async () => {
    const { body } = await server.call<ConversationInfo>('GET', path, undefined, SESSION);
    const { execution_status: status } = body;
    return !['idle', 'running'].includes(status) && status;
  });
}

async function events(server: TestServer, path: string, kind: string): Promise<readonly Event[]> {
  const { body } = await server.call<Page<Event>>('GET', `${path}/events/search?kind=${kind}`, undefined, SESSION);
  return body.items;
}

test.each([
  ['run', {}],
  ['events', message('go on', { run: true })],
])('P10: a run by %s that waits for its slot approves nothing that comes to wait meanwhile', async (route, body) => {
  const wait = waitingTool();
  const server = await startServer({
    sessionKeys: [SESSION['x-session-api-key']],
    approverKeys: [APPROVER['x-session-api-key']],
    turns: [{ calls: [{ name: 'echo', arguments: { text: 'a' } }] }, { text: 'done' }],
    scripts: { other: [{ calls: [{ name: 'wait', arguments: {} }] }, { text: 'done' }] },
    tools: [echoTool, wait.tool],
    maxConcurrentRuns: 1,
  });
  const path = await start(server, SESSION, { confirmation_policy: { kind: 'AlwaysConfirm' } });
  expect(await restsAs(server, path)).toBe('waiting_for_confirmation');
  const [action] = await events(server, path, 'ActionEvent');
  await server.call('POST', `${path}/events`, message('better not'), SESSION);
  expect(await events(server, path, 'UserRejectObservation')).toHaveLength(1);
  const other = await start(server, APPROVER, { agent: { kind: 'Agent', llm: { model: 'other' } } });
  await wait.begun;
  expect((await server.call('POST', `${path}/${route}`, body, SESSION)).status).toBe(200);
  const back = await server.call('POST', `${path}/navigate`, { event_id: action?.id ?? '' }, SESSION);
  expect(back.status).toBe(200);
  wait.release();
  expect(await restsAs(server, other)).toBe('finished');
  expect(await restsAs(server, path)).toBe('waiting_for_confirmation');
  expect(await events(server, path, 'ObservationEvent')).toEqual([]);
});
