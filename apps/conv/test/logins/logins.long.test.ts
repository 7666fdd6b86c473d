import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { AuthorizationServer, filesWith, ProtectedMcpServer, TOKEN_CANARY } from '@conv/testing-harness';
import { call, createModelServer, say, toolResults, type ModelServer } from '@conv/testing-model-server';
import { expect, onTestFinished, test, vi } from 'vitest';

import { environmentOf } from '../chat/model.ts';
import { ChatTerminal } from '../chat/terminal.ts';
import { convProcess } from '../command.ts';
import { newFolder } from '../new-folder.ts';

/** An MCP server that wants a login, a model that says something there, and a folder with the configuration for both. */
interface Bench {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly authorization: AuthorizationServer;
  readonly mcp: ProtectedMcpServer;
  readonly model: ModelServer;
}

async function bench(): Promise<Bench> {
  const authorization = await AuthorizationServer.start();
  const mcp = await ProtectedMcpServer.start(authorization);
  const model = await createModelServer({
    script: (request) =>
      toolResults(request, 'since-last-user-message').length === 0 ? call('say', { text: 'hello' }) : say('Done.'),
  });
  onTestFinished(async () => {
    await Promise.all([authorization.stop(), mcp.stop(), model.close()]);
  });
  const cwd = newFolder();
  writeFileSync(join(cwd, 'servers.json'), JSON.stringify({ shop: { url: mcp.url, auth: { strategy: 'oauth2' } } }));
  const places = { XDG_DATA_HOME: join(cwd, 'data'), XDG_STATE_HOME: join(cwd, 'state') };
  const env = { ...environmentOf(model), ...places, CONV_MCP_HOSTS: authorization.host };
  return { cwd, env, authorization, mcp, model };
}

type Running = ReturnType<typeof convProcess>;

/** Starts a command without a terminal, with all that it writes so far. */
function started({ cwd, env }: Bench, ...args: readonly string[]): { child: Running; said: () => string } {
  const child = convProcess({ cwd, env }, ...args);
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return { child, said: () => said };
}

/** Resolves with the address that the command waits for. */
async function addressIn(said: () => string): Promise<string> {
  const found = await vi.waitUntil(() => /^(http:\/\/127\.0\.0\.1:\d+\/authorize\S+)$/m.exec(said())?.[1], {
    timeout: 60_000,
    interval: 20,
  });
  return found;
}

function folderOf({ cwd }: Bench): string {
  return join(cwd, 'data/conv/logins');
}

test('P9: a command without a terminal prints the address, waits for the browser, and keeps the login', async () => {
  const { authorization, mcp, ...rest } = await bench();
  const all = { authorization, mcp, ...rest };
  const { child, said } = started(all, 'run', 'Go.', '--mcp', 'servers.json');
  const address = await addressIn(said);
  const back = await authorization.allow(address);
  expect(back.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback\?/);
  const page = await fetch(back);
  expect([page.status, page.headers.get('referrer-policy')]).toEqual([200, 'no-referrer']);
  expect(await page.text()).toContain('Access is granted');
  const first = await child;
  expect([first.exitCode, mcp.calls.map(({ text }) => text)]).toEqual([0, ['hello']]);
  expect(first.stderr).toContain('the MCP server shop needs your authorization');
  const second = await started(all, 'run', 'Go.', '--mcp', 'servers.json').child;
  expect([second.exitCode, mcp.calls.length]).toEqual([0, 2]);
  expect(second.stderr).not.toContain('needs your authorization');
  expect(first.stdout + first.stderr + second.stdout + second.stderr).not.toContain(TOKEN_CANARY);
  expect(filesWith(all.cwd, TOKEN_CANARY)).toEqual([]);
  const folder = folderOf(all);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(2);
  for (const file of files) expect(statSync(join(file.parentPath, file.name)).mode & 0o077).toBe(0);
});

test('P5: a login whose command was killed is ended by the next command, at the same address', async () => {
  const all = await bench();
  const first = started(all, 'run', 'Go.', '--mcp', 'servers.json');
  const back = await all.authorization.allow(await addressIn(first.said));
  first.child.kill('SIGKILL');
  await first.child;
  const second = started(all, 'run', 'Go.', '--mcp', 'servers.json');
  await addressIn(second.said);
  expect((await fetch(back)).status).toBe(200);
  expect((await second.child).exitCode).toBe(0);
  expect(all.authorization.registrations).toHaveLength(1);
  expect(all.authorization.tokenRequests).toHaveLength(1);
});

test('a command whose login was denied ends, and says so', async () => {
  const all = await bench();
  const { child, said } = started(all, 'run', 'Go.', '--mcp', 'servers.json');
  const back = await all.authorization.allow(await addressIn(said));
  back.searchParams.delete('code');
  back.searchParams.set('error', 'access_denied');
  expect((await fetch(back)).status).toBe(400);
  const ended = await child;
  expect(ended.exitCode).not.toBe(0);
  expect(ended.stderr).toContain('access was denied');
  expect(all.mcp.calls).toEqual([]);
});

test('P9: a login is read with OH_SECRET_KEY while that is set, also if it was made before', async () => {
  const all = await bench();
  const first = started(all, 'run', 'Go.', '--mcp', 'servers.json');
  await fetch(await all.authorization.allow(await addressIn(first.said)));
  await first.child;
  const keyed = { ...all, env: { ...all.env, OH_SECRET_KEY: 'a-secret-key-of-the-user-91c2' } };
  const second = await started(keyed, 'run', 'Go.', '--mcp', 'servers.json').child;
  expect([second.exitCode, all.mcp.calls.length]).toEqual([0, 2]);
});

test('a chat opens the browser, shows the address, and goes on when the browser has come back', async () => {
  const all = await bench();
  const bin = join(all.cwd, 'bin');
  mkdirSync(bin);
  // a browser that follows redirects, as the user allows everything
  const browser = `#!${process.execPath}\nfetch(process.argv[2]).then((r) => r.text()).then((t) => require('node:fs').writeFileSync(${JSON.stringify(join(all.cwd, 'page.html'))}, t));\n`;
  writeFileSync(join(bin, 'xdg-open'), browser);
  chmodSync(join(bin, 'xdg-open'), 0o755);
  const env = { ...all.env, PATH: `${bin}:${process.env['PATH']}`, DISPLAY: ':0', SSH_CONNECTION: '' };
  await using terminal = new ChatTerminal(
    { cwd: all.cwd, env, rows: 40 },
    'chat',
    '--mcp',
    'servers.json',
    '--policy',
    'never',
  );
  await terminal.until('ready');
  await terminal.ask('Go.', 'Done.');
  expect(terminal.text).toContain('the MCP server shop needs your authorization');
  expect(terminal.text).toContain('Access is granted');
  expect(readFileSync(join(all.cwd, 'page.html'), 'utf8')).toContain('Access is allowed');
  expect(terminal.written).not.toContain(TOKEN_CANARY);
  expect(existsSync(folderOf(all))).toBe(true);
});
