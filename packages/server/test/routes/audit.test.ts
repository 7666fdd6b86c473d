import type { JsonObject } from '@conv/core';
import { MemoryRegistry } from '@conv/store-kit/registry';
import { expect, test } from 'vitest';

import type { Principal } from '../../src/auth/principal.ts';
import { message } from '../support/conversation-calls.ts';
import { newConversation, startServer, until, type TestServer } from '../support/test-server.ts';
import { echoTool } from '../support/waiting-tool.ts';

function principal(key: string): Principal | undefined {
  if (key === 'admin') return { name: 'admin', scopes: ['read', 'admin'] };
  return ['ann', 'bob'].includes(key) ? { name: key, scopes: ['read', 'run', 'approve'] } : undefined;
}

const by = (key: string): Record<string, string> => ({ 'x-session-api-key': key });

interface Entry extends JsonObject {
  readonly conversation: string | null;
  readonly decision: string;
  readonly by: string | null;
  readonly at: string | null;
}

interface Page {
  readonly items: readonly Entry[];
  readonly next_cursor: string | null;
}

async function server(): Promise<TestServer> {
  const turns = Array.from({ length: 3 }, () => [
    { calls: [{ name: 'echo', arguments: { text: 'hi' } }] },
    { text: 'done' },
  ]).flat();
  const usage = { registry: new MemoryRegistry() };
  return startServer({ principal, sessionKeys: ['operator'], usage, turns, tools: [echoTool] });
}

/** A conversation of ann's whose call bob has approved. */
async function approved(at: TestServer): Promise<string> {
  const body = {
    ...newConversation(at.folder),
    confirmation_policy: { kind: 'AlwaysConfirm' },
    initial_message: message('go'),
  };
  const made = await at.call<{ id: string }>('POST', '/api/conversations', body, by('ann'));
  const path = `/api/conversations/${made.body.id}`;
  const rests = async (status: string): Promise<unknown> =>
    until(async () => (await at.call('GET', path, undefined, by('ann'))).body['execution_status'] === status);
  await rests('waiting_for_confirmation');
  await at.call('POST', `${path}/run`, {}, by('bob'));
  await rests('finished');
  return made.body.id;
}

/** Resolves with all entries that fit a query, read page by page. */
async function audit(at: TestServer, query = '', limit = 2): Promise<readonly Entry[]> {
  const items: Entry[] = [];
  let cursor: string | null = null;
  do {
    const more: string = cursor === null ? '' : `&cursor=${cursor}`;
    const { status, body } = await at.call<Page>(
      'GET',
      `/api/audit?limit=${limit}${query}${more}`,
      undefined,
      by('admin'),
    );
    expect([status, body.items.length <= limit]).toEqual([200, true]);
    items.push(...body.items);
    cursor = body.next_cursor;
  } while (cursor !== null);
  return items;
}

function told(entries: readonly Entry[]): readonly (readonly [string, string | null])[] {
  return entries.map(({ decision, by: name }) => [decision, name]);
}

const WHOLE = [
  ['started', 'ann'],
  ['run', 'ann'],
  ['held', null],
  ['run', 'bob'],
  ['approved', 'bob'],
] as const;

test('P10: the trail tells who started, ran and approved, each with its time, in pages of any size', async () => {
  const at = await server();
  const begun = new Date().toISOString();
  const ids = [await approved(at), await approved(at)];
  const entries = await audit(at);
  expect(told(entries)).toEqual([...WHOLE, ...WHOLE]);
  expect(entries.map(({ conversation }) => conversation)).toEqual(ids.flatMap((id) => WHOLE.map(() => id)));
  const named = entries.filter(({ by: name, decision }) => name !== null && decision !== 'started');
  expect(named.every((entry) => entry.at !== null && entry.at >= begun)).toBe(true);
  for (const limit of [1, 3, 100]) expect(await audit(at, '', limit)).toEqual(entries);
  const page = async (query: string): Promise<Page> =>
    (await at.call<Page>('GET', `/api/audit?${query}`, undefined, by('admin'))).body;
  const { items, next_cursor: cursor } = await page('limit=4');
  expect([...items, ...(await page(`limit=100&cursor=${cursor}`)).items]).toEqual(entries);
});

test('the trail is read by conversation, key and time', async () => {
  const at = await server();
  const [first, second] = [await approved(at), await approved(at)];
  const all = await audit(at);
  expect(told(await audit(at, `&conversation=${second}`))).toEqual(WHOLE);
  expect(told(await audit(at, '&key=bob'))).toEqual([WHOLE[3], WHOLE[4], WHOLE[3], WHOLE[4]]);
  const between = all.find(({ conversation, decision }) => conversation === second && decision === 'run')?.at ?? '';
  const later = await audit(at, `&from=${between}&key=bob`);
  expect(later.map(({ conversation }) => conversation)).toEqual([second, second]);
  const earlier = await audit(at, `&until=${between}&key=bob`);
  expect(earlier.map(({ conversation }) => conversation)).toEqual([first, first]);
});

test('the trail has each change by a named key: in its conversation, or beside a conversation that is gone', async () => {
  const at = await server();
  const id = await approved(at);
  await at.call('PATCH', `/api/conversations/${id}`, { title: 'mine' }, by('bob'));
  await at.call('PATCH', `/api/conversations/${id}`, { title: 'no name' }, by('operator'));
  const used = async (): Promise<readonly (readonly unknown[])[]> =>
    (await audit(at))
      .filter(({ decision }) => decision === 'used')
      .map(({ by: name, route, conversation }) => [name, route, conversation]);
  expect(await used()).toEqual([['bob', 'update_conversation', id]]);
  await at.call('DELETE', `/api/conversations/${id}`, undefined, by('ann'));
  expect(await used()).toEqual([['ann', 'delete_conversation', id]]);
});

test('lines of JSON have the same entries', async () => {
  const at = await server();
  await approved(at);
  const headers = { ...by('admin'), accept: 'application/x-ndjson' };
  const answer = await fetch(`${at.url}/api/audit`, { headers });
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
  const lines = (await answer.text()).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as Entry)).toEqual(await audit(at));
});

test('the trail needs the scope admin, and a wrong cursor is refused', async () => {
  const at = await server();
  const status = async (query: string, key: string): Promise<number> =>
    (await at.call('GET', `/api/audit${query}`, undefined, by(key))).status;
  expect(await status('', 'bob')).toBe(403);
  const places = [{ in: 'logs' }, { in: 'logs', page: 'x', id: null, skip: 0 }, { in: 'uses', page: 'x' }];
  const cursors = ['x', ...places.map((place) => Buffer.from(JSON.stringify(place)).toString('base64url'))];
  for (const cursor of cursors) expect([cursor, await status(`?cursor=${cursor}`, 'admin')]).toEqual([cursor, 400]);
  expect(await status('?conversation=none', 'admin')).toBe(422);
  expect(await status('?from=yesterday', 'admin')).toBe(422);
});

test('P10: the trail names the conversation of a use of its workspace, and no request that changes nothing', async () => {
  const workspaceHost = { environment: {}, workingDirectory: '/' };
  const at = await startServer({ principal, usage: { registry: new MemoryRegistry() }, workspaceHost });
  const made = await at.call<{ id: string }>('POST', '/api/conversations', newConversation(at.folder), by('ann'));
  const { id } = made.body;
  const cleared = await at.call('DELETE', `/api/conversations/${id}/bash/bash_events`, undefined, by('admin'));
  expect(cleared.status).toBe(200);
  const again = await at.call('POST', `/api/conversations/${id}/runtime/reprovision`, undefined, by('ann'));
  expect(again.status).toBe(200);
  const uses = (await audit(at)).filter(({ decision }) => decision === 'used');
  expect(uses).toMatchObject([{ conversation: id, by: 'admin' }]);
});
