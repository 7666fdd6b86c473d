import { join } from 'node:path';

import { MemoryStore } from '@conv/core/store';
import { isCommand, type Route, routes } from '@conv/openhands/rest';
import { expect, test } from 'vitest';

import { agentServer } from '../../src/plugin.ts';
import { SettingsStore } from '../../src/settings/settings-store.ts';
import { ScriptedAgents } from '../support/scripted-agents.ts';
import { testCipher } from '../support/test-cipher.ts';
import { startServer, until, type TestServer } from '../support/test-server.ts';
import { TestSocket } from '../support/test-socket.ts';
import { message } from '../support/conversation-calls.ts';

const REASON = 'No model is configured: set LLM_MODEL and start again.';

/** A conversation that has run, and a read-only server on its store that serves all that it can. */
async function readOnlyServer(): Promise<{ readonly id: string; readonly server: TestServer }> {
  const writer = await startServer({ turns: [{ text: 'Hello back.' }] });
  const { id } = await writer.make({ initial_message: message('Hello') });
  await until(async () => (await writer.info(id)).execution_status === 'finished');
  await writer.close();
  const outer = await startServer();
  const server = await startServer({
    store: writer.store,
    readOnly: REASON,
    cipher: testCipher,
    settingsStore: new SettingsStore(join(outer.folder, 'kept'), testCipher),
    workspaceHost: { environment: {}, workingDirectory: outer.folder },
    catalog: { models: {} },
  });
  return { id, server };
}

function pathOf({ path }: Pick<Route, 'path'>, id: string): string {
  return path.replace(/\{conversation_id\}/, id).replaceAll(/\{[^}]+\}/g, 'x');
}

test('each command of the protocol is refused with the reason, and changes nothing', async () => {
  const { id, server } = await readOnlyServer();
  const { body } = await server.call<{ paths: Record<string, object> }>('GET', '/openapi.json');
  const isServed = ({ method, path }: Route): boolean => method.toLowerCase() in (body.paths[path] ?? {});
  const commands = routes.filter((route) => isServed(route) && isCommand(route));
  expect(commands.length).toBeGreaterThan(50);
  const before = await server.info(id);
  const taken: string[] = [];
  for (const route of commands) {
    const answer = await server.call(route.method, pathOf(route, id), {});
    if (answer.status !== 403 || answer.body['detail'] !== REASON)
      taken.push(`${route.method} ${route.path}: ${answer.status}`);
  }
  expect(taken).toEqual([]);
  expect(await server.info(id)).toEqual(before);
});

test('every route with a method of commands is refused or is known to write nothing', () => {
  const reads = routes.filter((route) => route.method !== 'GET' && !isCommand(route));
  expect(reads.map(({ operationId }) => operationId).toSorted()).toEqual([
    'create_session',
    'create_stream_ticket',
    'create_workspace_session',
    'delete_session',
    'delete_workspace_session',
    'get_hooks',
    'get_plugins',
    'get_skills',
    'get_sub_agents',
  ]);
});

test('conversations are listed, read and followed, and the server says why it takes no commands', async () => {
  const { id, server } = await readOnlyServer();
  expect((await server.call('GET', '/server_info')).body['read_only']).toBe(REASON);
  const page = await server.call<{ items: { id: string }[] }>('GET', '/api/conversations/search');
  expect(page.body.items.map((item) => item.id)).toEqual([id]);
  const events = await server.call<{ items: object[] }>('GET', `/api/conversations/${id}/events/search`);
  expect(events.body.items.length).toBeGreaterThan(2);
  const socket = await new TestSocket(
    `${server.url.replace('http', 'ws')}/sockets/session/${id}?after_seq=-1`,
  ).opened();
  await socket.until((frames) => frames.length > events.body.items.length);
  expect(socket.frames[0]).toMatchObject({ type: 'sync' });
  socket.send({ role: 'user', content: [{ type: 'text', text: 'More' }] });
  expect(await socket.find(({ type }) => type === 'error')).toMatchObject({
    code: 'READ_ONLY',
    detail: expect.stringContaining(REASON) as string,
  });
});

test('a server that takes commands has no reason', async () => {
  const server = await startServer();
  expect((await server.call('GET', '/server_info')).body['read_only']).toBeNull();
});

test('the reason is a text, and a server of a fleet takes commands', () => {
  const options = { store: new MemoryStore(), persistenceDir: '/x', agents: new ScriptedAgents({}, []) };
  expect(() => agentServer({ ...options, readOnly: '' })).toThrow(/readOnly: expected the reason/);
  const fleet = { url: 'http://127.0.0.1:1', key: 'k', peers: [] };
  expect(() => agentServer({ ...options, readOnly: REASON, fleet })).toThrow(/expected readOnly or fleet, found both/);
});
