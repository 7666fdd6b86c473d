import { join } from 'node:path';

import { isCommand, type Route, routes } from '@conv/openhands/rest';
import { expect, test } from 'vitest';

import { TestBrowser } from './support/browser.ts';
import { digestsIn, newFolder } from './support/folders.ts';
import { finishedConversation, modelThatSays, studioFor } from './support/studio.ts';

const ID = '00000000-0000-4000-8000-000000000000';
const REASON = 'Read-only, because no model is configured: LLM_MODEL is not set';

function pathOf({ path }: Pick<Route, 'path'>, id: string = ID): string {
  return path.replace(/\{conversation_id\}/, id).replaceAll(/\{[^}]+\}/g, 'x');
}

test('the server answers nothing but the shell of the page without a key or a session', async () => {
  const studio = await studioFor({ place: `fs:${newFolder()}` });
  const browser = new TestBrowser(studio);
  const { body } = await browser.ask('GET', '/openapi.json');
  const isServed = ({ method, path }: Route): boolean =>
    method.toLowerCase() in ((body['paths'] as Record<string, object>)[path] ?? {});
  const guarded = routes.filter((route) => isServed(route) && route.auth !== 'none');
  expect(guarded.length).toBeGreaterThan(40);
  const open: string[] = [];
  for (const route of guarded) {
    const { status } = await browser.ask(route.method, pathOf(route), route.method === 'GET' ? {} : { body: {} });
    if (status !== 401) open.push(`${route.method} ${route.path}: ${status}`);
  }
  expect(open).toEqual([]);
  for (const path of ['/studio/place.json', `/studio/owners/${ID}`])
    expect([path, (await browser.ask('GET', path)).status]).toEqual([path, 401]);
  expect((await browser.socket(`/sockets/session/${ID}`)).first).toBe('closed with 4001');
  const shell = await browser.ask('GET', '/studio/c/anything');
  expect([shell.status, shell.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
});

test('the start link opens one session, which knows its place and ends with its cookie', async () => {
  const folder = newFolder();
  const studio = await studioFor({ place: `fs:${folder}` });
  const browser = new TestBrowser(studio);
  const ticket = browser.ticket();
  expect((await browser.redeem(ticket)).status).toBe(204);
  expect((await new TestBrowser(studio).redeem(ticket)).status).toBe(401);
  expect((await browser.ask('GET', '/api/auth/session')).body).toMatchObject({ rights: 'approver' });
  expect((await browser.ask('GET', '/studio/place.json')).body).toEqual({
    place: `fs:${folder}`,
    kind: 'fs',
    version: '0.0.0',
    model: null,
  });
  const ended = await browser.ask('DELETE', '/api/auth/session');
  expect(ended.headers.get('set-cookie')).toContain('Max-Age=0');
});

test('agents have a sandbox where the machine has one, unless it is switched off', async () => {
  const { environment } = await modelThatSays('Hello');
  const studio = await studioFor({ place: `fs:${newFolder()}`, environment });
  expect(studio.notice).toMatch(/^Commands run (?:in a sandbox|without a sandbox\. )/);
  const off = await studioFor({ place: `fs:${newFolder()}`, environment, sandbox: 'off' });
  expect(off.notice).toBeUndefined();
});

test('pages of other origins and other host names get nothing, with the cookie too', async () => {
  const studio = await studioFor({ place: `fs:${newFolder()}` });
  const browser = await TestBrowser.opened(studio);
  const list = '/api/conversations/search';
  expect((await browser.ask('GET', list)).status).toBe(200);
  const port = new URL(studio.url).port;
  for (const headers of [
    { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
  ]) {
    expect((await browser.ask('POST', `/api/conversations/${ID}/pause`, { headers, body: {} })).status).toBe(401);
    expect((await browser.ask('GET', list, { headers })).status).toBe(401);
    expect((await browser.redeem(browser.ticket(), headers)).status).toBe(403);
  }
  for (const host of ['evil.example', `evil.example:${port}`, 'localhost.evil.example']) {
    const headers = { host, origin: `http://${host}` };
    for (const path of [list, '/server_info', '/studio/place.json', `/studio/owners/${ID}`])
      expect([path, (await browser.ask('GET', path, { headers })).status]).toEqual([path, 403]);
    expect((await browser.redeem(browser.ticket(), headers)).status).toBe(403);
    expect((await browser.socket(`/sockets/session/${ID}`, headers)).first).toBe('refused with 403');
  }
});

test('conversations run with a model; each command is refused without one and the store stays the same', async () => {
  const folder = newFolder();
  const { environment } = await modelThatSays('Hello back.');
  const first = await studioFor({ place: `fs:${folder}`, environment });
  const writer = await TestBrowser.opened(first);
  expect((await writer.ask('GET', '/studio/place.json')).body['model']).toContain('scripted');
  const id = await finishedConversation(writer, join(newFolder(), 'work'));
  await first.close();

  const before = digestsIn(folder);
  const second = await studioFor({ place: `fs:${folder}` });
  const reader = await TestBrowser.opened(second);
  const { body } = await reader.ask('GET', '/openapi.json');
  const commands = routes.filter(
    (route) =>
      isCommand(route) && route.method.toLowerCase() in ((body['paths'] as Record<string, object>)[route.path] ?? {}),
  );
  expect(commands.length).toBeGreaterThan(20);
  for (const route of commands) {
    const { status, body: answer } = await reader.ask(route.method, pathOf(route, id), { body: {} });
    expect([route.operationId, status, answer['detail']]).toEqual([
      route.operationId,
      403,
      expect.stringContaining(REASON),
    ]);
  }
  const events = await reader.ask('GET', `/api/conversations/${id}/events/search`);
  expect(events.text).toContain('Hello back.');
  const { socket, first: frame } = await reader.socket(`/sockets/session/${id}?after_seq=-1`);
  expect(JSON.parse(frame)).toMatchObject({ type: 'sync' });
  socket.terminate();
  expect((await reader.ask('GET', '/server_info')).body['read_only']).toContain(REASON);
  await second.close();
  expect(digestsIn(folder)).toEqual(before);
});

test('a conversation that another process owns is read-only, the others are not', async () => {
  const folder = newFolder();
  const { environment } = await modelThatSays('One.', 'Two.');
  const owner = await studioFor({ place: `fs:${folder}`, environment });
  const ownersBrowser = await TestBrowser.opened(owner);
  const id = await finishedConversation(ownersBrowser, join(newFolder(), 'work'));
  const { socket } = await ownersBrowser.socket(`/sockets/session/${id}`);
  const second = await studioFor({ place: `fs:${folder}`, environment });
  const browser = await TestBrowser.opened(second);
  const refused = await browser.ask('PATCH', `/api/conversations/${id}`, { body: { title: 'Mine' } });
  expect([refused.status, refused.body['detail']]).toEqual([409, expect.stringContaining('in use by')]);
  expect((await browser.ask('GET', `/api/conversations/${id}`)).status).toBe(200);
  // both are this process, which is no other
  expect((await browser.ask('GET', `/studio/owners/${id}`)).body).toEqual({ owner: null });
  expect((await browser.ask('GET', '/studio/owners/none')).body).toEqual({ owner: null });
  await finishedConversation(browser, join(newFolder(), 'work'));
  socket.terminate();
});

test('a port that is taken, a place that is none and a key that is missing are named', async () => {
  const studio = await studioFor({ place: `fs:${newFolder()}` });
  const port = Number(new URL(studio.url).port);
  const place = `fs:${newFolder()}`;
  await expect(studioFor({ place, port })).rejects.toThrow(`port ${port}: another program listens there`);
  await expect(studioFor({ place: 'ftp:x' })).rejects.toThrow('unknown kind of store ftp');
  await expect(studioFor({ place: 'http://ada:secret@host' })).rejects.toThrow('found a password');
  await expect(studioFor({ place: 'http://127.0.0.1:1', serverKey: { variable: 'NO_SUCH_KEY' } })).rejects.toThrow(
    'expected the key in the environment variable NO_SUCH_KEY, found none',
  );
});
