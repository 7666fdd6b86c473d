import type { JsonObject } from '@conv/core';
import type { Event } from '@conv/core/events';
import { defineTool, toolWires } from '@conv/core/tool';
import type { ConversationInfo, Page } from '@conv/openhands/rest';
import { expect, test } from 'vitest';
import { z } from 'zod';

import type { Principal } from '../../src/auth/principal.ts';
import { message } from '../support/conversation-calls.ts';
import { newConversation, startServer, until, type TestServer } from '../support/test-server.ts';

const PEOPLE: Readonly<Record<string, Principal>> = {
  approver: { name: 'approver', scopes: ['read', 'run', 'approve'] },
  administrator: { name: 'administrator', scopes: ['read', 'run', 'approve', 'admin'] },
};

const WIRE = { definition: 'TerminalTool', action: 'TerminalAction', observation: 'TerminalObservation' };

/** Commands that ran. */
type Ran = readonly string[];

/** A server with a conversation that asks about nothing, and whose agent calls a shell with these commands at once. */
async function calling(...commands: string[]): Promise<{ server: TestServer; path: string; ran: Ran }> {
  const ran: string[] = [];
  const shell = defineTool({
    name: 'shell',
    description: 'Runs a command.',
    input: z.object({ command: z.string() }),
    wire: (tool) => toolWires.native(tool, WIRE),
    execute: ({ command }) => {
      ran.push(command);
      return 'done';
    },
  });
  const server = await startServer({
    principal: (key) => PEOPLE[key],
    sessionKeys: ['operator'],
    turns: [{ calls: commands.map((command) => ({ name: 'shell', arguments: { command } })) }, { text: 'done' }],
    tools: [shell],
  });
  const asks = { confirmation_policy: { kind: 'AlwaysConfirm' }, initial_message: message('go') };
  const body = { ...newConversation(server.folder), ...asks };
  const made = await server.call<ConversationInfo>('POST', '/api/conversations', body, by('approver'));
  const path = `/api/conversations/${made.body.id}`;
  await restsAs(server, path, 'waiting_for_confirmation');
  return { server, path, ran };
}

function by(key: string): Record<string, string> {
  return { 'x-session-api-key': key };
}

async function restsAs(server: TestServer, path: string, status: string): Promise<void> {
  await until(async () => {
    const { body } = await server.call<ConversationInfo>('GET', path, undefined, by('approver'));
    return body.execution_status === status;
  });
}

async function callsOf(server: TestServer, path: string): Promise<readonly string[]> {
  const { body } = await server.call<Page<Event>>(
    'GET',
    `${path}/events/search?kind=ActionEvent`,
    undefined,
    by('approver'),
  );
  return body.items.map(({ id }) => id);
}

const OUTSIDE = `${toolWires.OUTSIDE_SANDBOX}needs your key\ngit push`;

const WAYS: readonly (readonly [route: string, body: JsonObject])[] = [
  ['approve', {}],
  ['run', {}],
  ['events/respond_to_confirmation', { accept: true }],
];

test.each(WAYS)(
  'P10: a key that may approve and not administrate allows no command outside by %s',
  async (route, body) => {
    const { server, path, ran } = await calling(OUTSIDE);
    const refused = await server.call('POST', `${path}/${route}`, body, by('approver'));
    expect(refused.status).toBe(403);
    expect(JSON.stringify(refused.body)).toContain('needs the scope admin beside approve');
    await restsAs(server, path, 'waiting_for_confirmation');
    expect((await server.call('POST', `${path}/${route}`, body, by('administrator'))).status).toBe(200);
    if (route === 'approve') await server.call('POST', `${path}/run`, {}, by('approver'));
    await restsAs(server, path, 'finished');
    expect(ran).toEqual([OUTSIDE]);
  },
);

test('P10: a key without admin approves the other calls by their ids, and rejects a command outside', async () => {
  const { server, path, ran } = await calling('ls', OUTSIDE);
  const [inside = '', outside = ''] = await callsOf(server, path);
  const approve = (ids: readonly string[]) =>
    server.call('POST', `${path}/approve`, { action_ids: [...ids] }, by('approver'));
  expect((await approve([inside, outside])).status).toBe(403);
  expect((await approve([inside])).status).toBe(200);
  expect((await server.call('POST', `${path}/reject`, { action_ids: [outside] }, by('approver'))).status).toBe(200);
  await server.call('POST', `${path}/run`, {}, by('approver'));
  await restsAs(server, path, 'finished');
  expect(ran).toEqual(['ls']);
});

test('P10: an edit that leaves the sandbox needs admin, and an edit that takes the comment away does not', async () => {
  const { server, path, ran } = await calling('ls', OUTSIDE);
  const [inside = '', outside = ''] = await callsOf(server, path);
  const approve = (id: string, command: string, key: string): Promise<{ status: number; body: unknown }> =>
    server.call('POST', `${path}/approve`, { action_ids: [id], edits: { [id]: { command } } }, by(key));
  const refused = await approve(inside, OUTSIDE, 'approver');
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    403,
    expect.stringContaining('needs the scope admin'),
  ]);
  expect(await callsOf(server, path)).toEqual([inside, outside]);
  expect((await approve(outside, 'git log', 'approver')).status).toBe(200);
  expect((await approve(inside, OUTSIDE, 'administrator')).status).toBe(200);
  await server.call('POST', `${path}/run`, {}, by('approver'));
  await restsAs(server, path, 'finished');
  expect(ran).toEqual(['git log', OUTSIDE]);
});

test('an edit that its tool does not take is refused by the name of the argument, and nothing changes', async () => {
  const { server, path } = await calling('ls');
  const [id = ''] = await callsOf(server, path);
  const edits = { [id]: { command: 5 } };
  const refused = await server.call('POST', `${path}/approve`, { action_ids: [id], edits }, by('approver'));
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([422, expect.stringContaining('command')]);
  expect(await callsOf(server, path)).toEqual([id]);
});
