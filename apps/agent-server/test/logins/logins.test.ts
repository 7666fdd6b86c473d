import { join } from 'node:path';

import { filesWith, TOKEN_CANARY } from '@conv/testing-harness';
import { expect, onTestFinished, test } from 'vitest';

import { eventsOf, make, says, until } from '../calls.ts';
import { newFolder } from '../new-folder.ts';
import { callWith, type CalledServer, ServerProcess } from '../server-process.ts';
import { askedIn, loginBench, type LoginBench } from './login-bench.ts';

const KEY = 'session-key-of-logins-7d20';

async function started({ authorization }: LoginBench, cwd: string, env: Record<string, string> = {}) {
  const given = { OH_SESSION_API_KEYS_0: KEY, CONV_MCP_HOSTS: authorization.host, CONV_LOG_LEVEL: 'trace', ...env };
  const server = await ServerProcess.start({ cwd, env: given });
  onTestFinished(async () => {
    server.kill('SIGKILL');
    await server.ended();
  });
  return server;
}

/** Starts a conversation that logs in. */
async function begun(server: CalledServer, { described }: LoginBench, cwd: string): Promise<string> {
  const { id } = await make(server, described(cwd));
  await server.call('POST', `/api/conversations/${id}/events`, says('go', { run: true }));
  return id;
}

test('P9: a person logs in at an MCP server once, in a browser that comes back, and tokens show nowhere', async () => {
  const bench = await loginBench();
  const cwd = newFolder();
  const server = await started(bench, cwd);
  const id = await begun(server, bench, cwd);
  const address = await askedIn(server, id);
  expect(new URL(address).searchParams.get('redirect_uri')).toBe(`${server.url}/mcp/callback`);
  const back = await bench.authorization.allow(address);
  const page = await fetch(back);
  expect([page.status, page.headers.get('referrer-policy')]).toEqual([200, 'no-referrer']);
  expect(await page.text()).toContain('Access is granted');
  expect((await fetch(back)).status).toBe(400);
  await until(server, id, 'finished');
  expect(bench.mcp.calls.map(({ text }) => text)).toEqual(['hello']);
  // another conversation of the same principal needs no login, and has the tools at once
  const other = await begun(server, bench, cwd);
  await until(server, other, 'finished');
  expect(bench.mcp.calls).toHaveLength(2);
  expect(bench.authorization.tokenRequests).toHaveLength(1);
  const told = JSON.stringify([await eventsOf(server, id), await eventsOf(server, other)]);
  expect(told).not.toContain(TOKEN_CANARY);
  await server.stop();
  expect(server.log).not.toContain(TOKEN_CANARY);
  expect(server.log).not.toContain(back.searchParams.get('code'));
  expect(filesWith(cwd, TOKEN_CANARY)).toEqual([]);
  expect(filesWith(join(cwd, 'workspace/.openhands/registry'), 'encrypted').length).toBeGreaterThan(0);
});

test('P9: each named key has logins of its own', async () => {
  const bench = await loginBench();
  const cwd = newFolder();
  const server = await started(bench, cwd);
  const { execa } = await import('execa');
  const program = new URL('../../dist/main.js', import.meta.url).pathname;
  const keyOf = async (name: string): Promise<CalledServer> => {
    const args = ['keys', 'add', name, '--scope', 'read', '--scope', 'run', '--scope', 'approve', '--scope', 'admin'];
    const { stdout } = await execa(process.execPath, [program, ...args], { cwd, stdin: 'ignore' });
    const key = /[\w-]{40,}/.exec(stdout)?.[0];
    return { call: (method, path, body) => callWith(key, server.url + path, { method, body }) };
  };
  const [ann, bob] = [await keyOf('ann'), await keyOf('bob')];
  await expect.poll(async () => (await bob.call('GET', '/api/conversations/search')).status).toBe(200);
  const first = await begun(ann, bench, cwd);
  await fetch(await bench.authorization.allow(await askedIn(ann, first)));
  await until(ann, first, 'finished');
  const second = await begun(bob, bench, cwd);
  await fetch(await bench.authorization.allow(await askedIn(bob, second)));
  await until(bob, second, 'finished');
  expect(bench.authorization.tokenRequests).toHaveLength(2);
});

test('a server that browsers cannot reach by its address says which setting names the address', async () => {
  const bench = await loginBench();
  const cwd = newFolder();
  const server = await started(bench, cwd, { CONV_HOST: '0.0.0.0' });
  const { id } = await make(server, bench.described(cwd));
  await server.call('POST', `/api/conversations/${id}/events`, says('go', { run: true }));
  await until(server, id, 'finished', 'error');
  expect(JSON.stringify(await eventsOf(server, id))).toContain('set CONV_PUBLIC_URL');
});

test('an authorization server that is not public is refused unless its host is listed', async () => {
  const bench = await loginBench();
  const cwd = newFolder();
  const server = await started(bench, cwd, { CONV_MCP_HOSTS: 'login.internal' });
  const id = await begun(server, bench, cwd);
  await until(server, id, 'finished', 'error');
  expect(JSON.stringify(await eventsOf(server, id))).toContain('its address is not public');
  expect(bench.authorization.registrations).toEqual([]);
});
