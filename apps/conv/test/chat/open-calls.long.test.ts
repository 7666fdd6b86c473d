import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startServer } from '../agent-server.ts';
import { conv, shown } from '../command.ts';
import { newFolder } from '../new-folder.ts';
import { FirstVersion } from './first-version.ts';
import { chatModel, environmentOf } from './model.ts';
import { ChatTerminal, type TerminalSetting } from './terminal.ts';

let model: ModelServer;

beforeAll(async () => {
  model = await chatModel();
});
afterAll(() => model.close());

/** Starts a chat in which three calls wait, and kills it when the first is asked about. Resolves with its id. */
async function threeWaiting(where: TerminalSetting): Promise<string> {
  await using terminal = new ChatTerminal(where, 'chat', '--policy', 'always');
  await terminal.until('ready');
  await terminal.ask('please `touch one` and `touch two` and `touch three`', 'Run it? (2 more wait)', 'screen');
  terminal.kill();
  await terminal.ended;
  return /^([0-9a-f-]{36})/m.exec(terminal.text)?.[1] ?? '';
}

function made(cwd: string): readonly string[] {
  return ['one', 'two', 'three'].filter((name) => existsSync(join(cwd, name)));
}

test('P10: waiting calls come back with the id, decided calls stay decided, and each is asked about alone', async () => {
  const where = { cwd: newFolder(), rows: 40, env: environmentOf(model) };
  const id = await threeWaiting(where);
  {
    await using terminal = new ChatTerminal(where, 'chat', id);
    await terminal.until('Run it? (2 more wait)', 'screen');
    await terminal.ask('y', 'Run it? (1 more waits)', 'screen');
    await terminal.ask('n not this one', /Run it\? y = yes/, 'screen');
    terminal.kill();
    await terminal.ended;
  }
  await using terminal = new ChatTerminal(where, 'chat', id.slice(0, 8));
  await terminal.until('Run it?', 'screen');
  expect(terminal.screen).not.toContain('touch one ');
  expect(terminal.screen).toMatch(/│ touch three$/m);
  await terminal.ask('y', 'run finished');
  expect(made(where.cwd)).toEqual(['one', 'three']);
  const { events } = await shown(where, id, ...place(where));
  expect(events.filter(({ kind }) => kind === 'UserRejectObservation')).toMatchObject([
    { rejection_reason: 'not this one' },
  ]);
});

test('P10: an answer that was typed before the next call was shown decides nothing about that call', async () => {
  const where = { cwd: newFolder(), rows: 40, env: environmentOf(model) };
  await using terminal = new ChatTerminal(where, 'chat', '--policy', 'always');
  await terminal.until('ready');
  await terminal.ask('please `touch one` and `touch two` and `touch three`', 'Run it? (2 more wait)', 'screen');
  // both lines are typed while the first call is on the screen
  terminal.type('y\ry\r');
  await terminal.until('the call that you answered for waits no longer');
  await terminal.until('Run it? (1 more waits)', 'screen');
  await terminal.ask('n', /Run it\? y = yes/, 'screen');
  await terminal.ask('n', 'run finished');
  expect(made(where.cwd)).toEqual(['one']);
});

test('P3: the answer e shows the arguments of a call, and e with other arguments runs it with them', async () => {
  const where = { cwd: newFolder(), rows: 40, env: environmentOf(model) };
  await using terminal = new ChatTerminal(where, 'chat', '--policy', 'always');
  await terminal.until('ready');
  await terminal.ask('please `touch one`', 'Run it?', 'screen');
  await terminal.ask('e', 'e {"command":"touch one"}', 'screen');
  await terminal.ask('e {"command": 5}', 'nothing was approved', 'screen');
  await terminal.ask('e touch two', 'expected e and the arguments as a JSON object', 'screen');
  await terminal.ask('e {"command": "touch two"}', 'run finished');
  expect(made(where.cwd)).toEqual(['two']);
});

test('P10: resume asks in a terminal about each of several waiting calls, and what is left for later waits', async () => {
  const where = { cwd: newFolder(), rows: 40, env: environmentOf(model) };
  const id = await threeWaiting(where);
  {
    await using terminal = new ChatTerminal(where, 'resume', id, ...place(where));
    await terminal.until(/touch one[^]*Run it\? \[y\/n/);
    await terminal.ask('y', /touch two[^]*Run it\? \[y\/n/);
    await terminal.ask('n', /touch three[^]*Run it\? \[y\/n/);
    terminal.type('\u0003');
    expect(await terminal.ended).toBe(8);
    expect(made(where.cwd)).toEqual([]);
  }
  const rest = await conv(where, 'resume', id, '--approve', ...place(where));
  expect(rest.stderr).toContain('approved: terminal touch three');
  expect(rest.stderr).not.toContain('touch two');
  expect(rest.exitCode).toBe(0);
  expect(made(where.cwd)).toEqual(['one', 'three']);
});

test('P10: resume --approve runs all waiting calls, and resume --reject none', async () => {
  for (const [decision, ran] of [
    ['--approve', ['one', 'two', 'three']],
    ['--reject', []],
  ] as const) {
    const where = { cwd: newFolder(), env: environmentOf(model) };
    const id = await threeWaiting(where);
    expect((await conv(where, 'resume', id, decision, ...place(where))).exitCode).toBe(0);
    expect(made(where.cwd)).toEqual(ran);
  }
});

test("P9: a fork on a server that copies no key has the environment's key, or says how to give one", async () => {
  const server = await startServer(newFolder());
  await using old = await FirstVersion.of(server.url);
  const where = { cwd: newFolder(), rows: 40, env: { ...environmentOf(model), ...server.env } };
  const there = ['--server', old.url];
  const keys = (): readonly unknown[] => model.requests.map(({ headers }) => headers['authorization']);
  let id = '';
  {
    await using terminal = new ChatTerminal(where, 'chat', ...there);
    await terminal.until('ready');
    [, id = ''] = /^([0-9a-f-]{36})/m.exec(terminal.text) ?? [];
    await terminal.ask('before the fork', /You said: before the fork\n/);
    await terminal.until('ready', 'screen');
    await terminal.ask('/fork', /^[0-9a-f-]{36}[^]*^[0-9a-f-]{36}/m);
    await terminal.until('ready', 'screen');
    await terminal.ask('behind the fork', /You said: behind the fork\n/);
    await terminal.until('ready', 'screen');
    expect(keys().at(-1)).toBe('Bearer a-key-for-tests');
    expect(terminal.text).not.toContain('copies no key');
  }
  await using terminal = new ChatTerminal({ ...where, env: server.env }, 'chat', id, ...there);
  await terminal.until('ready');
  await terminal.ask('/fork', /copies no key of a model into a fork; set\s+LLM_API_KEY/);
});

/** The store that chats of this test use: that of the program in the folder. */
function place({ cwd }: TerminalSetting): readonly string[] {
  return ['--store', `fs:${join(cwd, 'workspace/conversations')}`];
}
