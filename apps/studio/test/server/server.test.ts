import { request } from 'node:http';

import { ModelScript, ScriptedAgent } from '@conv/conformance';
import { expect, test, vi } from 'vitest';

import { TestBrowser } from './support/browser.ts';
import { newFolder } from './support/folders.ts';
import { ServerBehind } from './support/server-behind.ts';
import { studioFor } from './support/studio.ts';
import type { RunningStudio } from '../../src/index.ts';

function inFrontOf({ url }: ServerBehind): Promise<RunningStudio> {
  return studioFor({ place: url, environment: { THE_KEY: ServerBehind.key }, serverKey: { variable: 'THE_KEY' } });
}

/** Starts a conversation through studio, and resolves with its id. */
async function started(browser: TestBrowser, { folder }: ServerBehind): Promise<string> {
  const { status, body } = await browser.ask('POST', '/api/conversations', {
    body: { agent: { kind: 'Agent', llm: { model: 'scripted' }, tools: [] }, workspace: { working_dir: folder } },
  });
  expect(status).toBe(201);
  return body['id'] as string;
}

function server(): Promise<ServerBehind> {
  return ServerBehind.start(new ScriptedAgent({ script: new ModelScript([{ text: 'Hello back.' }]) }));
}

test('requests and sockets reach the server with its key, and without what the browser shows', async () => {
  const behind = await server();
  const browser = await TestBrowser.opened(await inFrontOf(behind));
  const id = await started(browser, behind);
  const { socket, first } = await browser.socket(`/sockets/session/${id}?after_seq=-1`);
  expect(JSON.parse(first)).toMatchObject({ type: 'sync' });
  const said = new Promise<string>((resolve) => {
    socket.on('message', (data: Buffer) => data.toString().includes('Hello back.') && resolve(data.toString()));
  });
  const message = { role: 'user', content: [{ type: 'text', text: 'Hello' }], run: true };
  expect((await browser.ask('POST', `/api/conversations/${id}/events`, { body: message })).status).toBe(200);
  expect(await said).toContain('Hello back.');
  socket.terminate();
  expect(behind.arrived.length).toBeGreaterThan(2);
  for (const headers of behind.arrived) {
    expect(headers['x-session-api-key']).toBe(ServerBehind.key);
    expect(headers['host']).toBe(new URL(behind.url).host);
    for (const name of ['cookie', 'origin', 'sec-fetch-site', 'authorization', 'referer'])
      expect([name, headers[name]]).toEqual([name, undefined]);
  }
  expect(browser.seen.join('\n')).not.toContain(ServerBehind.key);
  expect((await browser.ask('GET', '/studio/place.json')).body).toMatchObject({ kind: 'server', place: behind.url });
});

test('the page in front of a server opens without a session, as over a store, so that it can ask for one', async () => {
  const behind = await server();
  const [over, front] = [await studioFor({ place: `fs:${newFolder()}` }), await inFrontOf(behind)];
  for (const path of ['/studio/', '/studio/c/anything']) {
    const [expected, found] = [
      await new TestBrowser(over).ask('GET', path),
      await new TestBrowser(front).ask('GET', path),
    ];
    expect([found.status, found.text]).toEqual([200, expected.text]);
    for (const name of ['content-type', 'content-security-policy', 'cross-origin-opener-policy', 'cache-control'])
      expect([name, found.headers.get(name)]).toEqual([name, expected.headers.get(name)]);
  }
  expect(behind.arrived).toEqual([]);
});

test('nothing reaches the server without a session, from another origin or under another host name', async () => {
  const behind = await server();
  const studio = await inFrontOf(behind);
  const browser = await TestBrowser.opened(studio);
  const { cookie } = browser;
  const stranger = new TestBrowser(studio);
  const id = '00000000-0000-4000-8000-000000000000';
  for (const path of ['/api/conversations/search', '/api/settings', '/anything', '/docs', '/studio/place.json'])
    expect([path, (await stranger.ask('GET', path)).status]).toEqual([path, 401]);
  expect((await stranger.socket(`/sockets/session/${id}`)).first).toBe('refused with 403');
  const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', cookie: cookie ?? '' };
  expect((await stranger.ask('POST', `/api/conversations/${id}/pause`, { headers: evil })).status).toBe(401);
  expect((await stranger.socket(`/sockets/session/${id}`, evil)).first).toBe('refused with 403');
  const rebound = { host: 'evil.example', origin: 'http://evil.example', cookie: cookie ?? '' };
  expect((await stranger.ask('GET', '/api/conversations/search', { headers: rebound })).status).toBe(403);
  expect((await stranger.ask('GET', '/server_info', { headers: rebound })).status).toBe(403);
  expect((await stranger.socket(`/sockets/session/${id}`, rebound)).first).toBe('refused with 403');
  expect(behind.arrived).toEqual([]);
});

test('a program shows the key of studio, in the address of a socket too, and the server gets its own', async () => {
  const behind = await server();
  const own = 'the-key-of-programs-0123456789';
  const studio = await studioFor({
    place: behind.url,
    environment: { OH_SESSION_API_KEY: ServerBehind.key },
    sessionKey: own,
  });
  const program = new TestBrowser(studio);
  const headers = { 'x-session-api-key': own };
  expect((await program.ask('GET', '/api/conversations/search?limit=1', { headers })).status).toBe(200);
  const id = await started(await TestBrowser.opened(studio), behind);
  const { socket } = await program.socket(`/sockets/session/${id}?session_api_key=${own}&after_seq=-1`, {
    cookie: 'x=y',
  });
  socket.terminate();
  expect(behind.arrived.map(({ url }) => url).filter((url) => url !== undefined)).toEqual([
    `/sockets/session/${id}?after_seq=-1`,
  ]);
  expect(JSON.stringify(behind.arrived)).not.toContain(own);
  expect((await program.socket(`/sockets/session/${id}?session_api_key=wrong`)).first).toBe('refused with 403');
});

test('a browser that leaves ends its request at the server', async () => {
  const behind = await server();
  const studio = await inFrontOf(behind);
  const { cookie = '' } = await TestBrowser.opened(studio);
  const begun = Promise.withResolvers<void>();
  const asked = request(new URL('/endless', studio.url), { headers: { cookie } }, (response) =>
    response.once('data', () => begun.resolve()),
  );
  asked.on('error', () => {}).end();
  await begun.promise;
  expect(behind.arrived).not.toContainEqual({ ended: 'endless' });
  asked.destroy();
  await vi.waitUntil(() => behind.arrived.some(({ ended }) => ended === 'endless'), { timeout: 100_000 });
});

test('a server that is gone is named with 502, and is asked again when it is back', async () => {
  const behind = await server();
  const browser = await TestBrowser.opened(await inFrontOf(behind));
  await behind.stop();
  const gone = await browser.ask('GET', '/api/conversations/search');
  expect([gone.status, gone.body['detail']]).toEqual([502, expect.stringContaining(`${behind.url} does not answer`)]);
  await behind.start();
  expect((await browser.ask('GET', '/api/conversations/search')).status).toBe(200);
});

test('a wrong key of the server is told as the server tells it', async () => {
  const behind = await server();
  const studio = await studioFor({
    place: behind.url,
    environment: { OH_SESSION_API_KEY: 'a-key-that-is-wrong-0123456789' },
  });
  const browser = await TestBrowser.opened(studio);
  expect((await browser.ask('GET', '/api/conversations/search')).status).toBe(401);
});

test('large bodies pass both ways', async () => {
  const behind = await server();
  const browser = await TestBrowser.opened(await inFrontOf(behind));
  const id = await started(browser, behind);
  const text = 'x'.repeat(900_000);
  const body = { role: 'user', content: [{ type: 'text', text }], run: false };
  expect((await browser.ask('POST', `/api/conversations/${id}/events`, { body })).status).toBe(200);
  const events = await browser.ask('GET', `/api/conversations/${id}/events/search`);
  expect(events.text.length).toBeGreaterThan(900_000);
});
