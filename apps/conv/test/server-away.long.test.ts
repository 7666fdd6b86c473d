import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';

import { expect, onTestFinished, test, vi } from 'vitest';

import { startServer, type TestServer } from './agent-server.ts';
import { conv, convProcess, untilThere } from './command.ts';
import { newFolder } from './new-folder.ts';

interface WatchedRun {
  readonly server: TestServer;
  readonly run: ReturnType<typeof convProcess>;
  /** Resolves when the run has said this on standard error. */
  readonly says: (text: string) => Promise<void>;
  /** Lets the command end. */
  readonly endCommand: () => void;
}

/** Starts a run on a server of its own. Resolves in the middle of a command. */
async function runOnServer(): Promise<WatchedRun> {
  const server = await startServer(newFolder());
  const workspace = newFolder();
  const endCommand = (): void => writeFileSync(join(workspace, 'go'), '');
  onTestFinished(endCommand);
  const task = '`touch begun; until [ -e go ]; do sleep 0.1; done`';
  const setting = { cwd: newFolder(), env: server.env };
  const run = convProcess(setting, 'run', task, '--workspace', workspace, '--server', server.url);
  let said = '';
  run.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await untilThere(join(workspace, 'begun'));
  const says = (text: string): Promise<void> =>
    vi.waitUntil(() => said.includes(text), { timeout: 100_000 }).then(() => {});
  return { server, run, says, endCommand };
}

/** Starts a run on a server of its own, and kills the server in the middle of a command. */
async function runOnKilledServer(): Promise<WatchedRun> {
  const watched = await runOnServer();
  await watched.server.kill();
  return watched;
}

test('a run tells once that its server went away, and once that it is back', async () => {
  const { server, run, says } = await runOnKilledServer();
  await says('the server does not answer (');
  await server.again();
  await says('the server answers again');
  const { exitCode, stderr } = await run;
  expect(exitCode).toBe(0);
  expect(stderr.match(/the server/g)).toHaveLength(2);
});

test('a run tells once that its server is stopped, keeps waiting, and tells once that it is back', async () => {
  const { server, run, says, endCommand } = await runOnServer();
  server.stop();
  await says('no answer for 5 s');
  server.go();
  await says('the server answers again');
  endCommand();
  const { exitCode, stderr } = await run;
  expect(exitCode).toBe(0);
  expect(stderr.match(/the server/g)).toHaveLength(2);
});

test('a second Ctrl-C ends a run whose server has gone, and says how to go on', async () => {
  const { server, run, says } = await runOnKilledServer();
  await says('the server does not answer (');
  run.kill('SIGINT');
  await says('pausing after this step');
  run.kill('SIGINT');
  const { exitCode, stderr } = await run;
  expect(exitCode).toBe(130);
  expect(stderr).toMatch(/when it is back, continue with: conv resume [0-9a-f-]{36} --server http/);
  expect(stderr).toContain(server.url);
});

test('a second Ctrl-C ends a run also when only then the server is found to be gone', async () => {
  const { run, says } = await runOnKilledServer();
  run.kill('SIGINT');
  await says('pausing after this step');
  run.kill('SIGINT');
  const { exitCode, stderr } = await run;
  expect(exitCode).toBe(130);
  expect(stderr).toContain('the server does not answer (');
});

test('a command says what it waits for when a server takes the connection and answers nothing', async () => {
  const mute = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  onTestFinished(() => void mute.close());
  await once(mute, 'listening');
  const url = `http://127.0.0.1:${(mute.address() as AddressInfo).port}`;
  const { exitCode, stderr } = await conv({ cwd: newFolder() }, 'list', '--server', url);
  expect(exitCode).toBe(9);
  expect(stderr).toContain(`waiting for ${url} to answer`);
});
