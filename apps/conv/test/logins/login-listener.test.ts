import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { LoginListener } from '../../src/logins/login-listener.ts';

async function listener(
  finish: (callback: URL) => Promise<{ ok: boolean; message: string }>,
  port: number = 0,
): Promise<LoginListener & { readonly ends: readonly [string, boolean][] }> {
  const ends: [string, boolean][] = [];
  const started = await LoginListener.start(port, { finish, ended: (state, { ok }) => void ends.push([state, ok]) });
  onTestFinished(() => started[Symbol.asyncDispose]());
  return Object.assign(started, { ends });
}

test('P9: the page of a login escapes its text, loads nothing, and holds no part of its address', async () => {
  const at = await listener(async () => ({ ok: false, message: 'No: <i>"x" & y</i>' }));
  const answer = await fetch(`${at.url}?state=the-state&code=the-code`);
  expect(answer.status).toBe(400);
  const text = await answer.text();
  expect(text).toContain('&lt;i&gt;&quot;x&quot; &amp; y&lt;/i&gt;');
  expect(text).not.toMatch(/the-code|the-state|<script/);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(at.ends).toEqual([['the-state', false]]);
});

test('a request for another path, or of another method, ends no login', async () => {
  const at = await listener(async () => ({ ok: true, message: '' }));
  expect((await fetch(at.url.replace('callback', 'favicon.ico'))).status).toBe(404);
  expect((await fetch(at.url.replace('callback', '/'))).status).toBe(404);
  expect((await fetch(at.url, { method: 'HEAD' })).status).toBe(404);
  expect(at.ends).toEqual([]);
});

test('a login that cannot be stored says so, and the listener goes on', async () => {
  const at = await listener(() => Promise.reject(new Error('the disk is full')));
  expect(await (await fetch(`${at.url}?state=s`)).text()).toContain('could not be stored');
  expect((await fetch(`${at.url}?state=s`)).status).toBe(400);
});

test('the port of another program is left to it', async () => {
  const other = createServer();
  await once(other.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const at = await listener(async () => ({ ok: true, message: '' }), port);
  expect(at.port).not.toBe(port);
  expect((await fetch(`${at.url}?state=s`)).status).toBe(200);
});
