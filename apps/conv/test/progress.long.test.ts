import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import { openStore } from '@conv/stores';
import { spawn } from '@lydell/node-pty';
import { expect, onTestFinished, test, vi } from 'vitest';

import { backupCommand } from '../src/commands/backup.ts';
import { checkCommand } from '../src/commands/check.ts';
import { commandOf, conv } from './command.ts';
import { newFolder } from './new-folder.ts';
import { written } from './filled-store.ts';

const ESCAPE = '\u001b';
/** Conversations of a store that takes a while to read. */
const MANY = 60;

/** A folder with a database `a.db` of so many conversations. Resolves with its path and the ids, in order. */
async function filled(count: number, messages: number): Promise<{ cwd: string; ids: readonly string[] }> {
  const cwd = newFolder();
  const opened = await openStore(`sqlite:${join(cwd, 'a.db')}`);
  const first = await written(opened.store, messages);
  const forks = Array.from({ length: count - 1 }, () => randomUUID());
  for (const id of forks) await opened.store.fork(first, id, { patch: {} });
  await opened.close();
  return { cwd, ids: [first, ...forks].sort() };
}

/** Runs a command in this process, without a terminal, on a clock that moves by `step` milliseconds a look. Resolves with stderr. */
async function saidWithin(step: number, run: () => Promise<number>): Promise<readonly string[]> {
  let now = 0;
  const said: string[] = [];
  const spies = [
    vi.spyOn(Date, 'now').mockImplementation(() => (now += step)),
    vi.spyOn(process.stdout, 'write').mockReturnValue(true),
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0),
  ];
  onTestFinished(() => spies.forEach((spy) => spy.mockRestore()));
  expect(await run()).toBe(0);
  for (const spy of spies) spy.mockRestore();
  return said.join('').split('\n').slice(0, -1);
}

/** A line of progress in a terminal, written over the one before it, with one conversation or more done. */
function changing(done: string): RegExp {
  return new RegExp(`\\r${ESCAPE}\\[K[1-9]\\d* of ${MANY} ${done}, `);
}

const ALL = { first: undefined, second: undefined, isNamed: true };

const commands = {
  check: (cwd: string) => checkCommand(ALL, { store: `sqlite:${cwd}/a.db` }),
  backup: (cwd: string, to: string) => backupCommand(ALL, { store: `sqlite:${cwd}/a.db`, to: `sqlite:${cwd}/${to}` }),
};

test.each([
  ['check', 'checked'],
  ['backup', 'copied'],
] as const)('%s without a terminal prints a whole line of progress after ten seconds', async (name, done) => {
  const { cwd, ids } = await filled(3, 20);
  const lines = await saidWithin(10_000, () => commands[name](cwd, 'b.db'));
  const progress = lines.filter((line) => line.includes(` of 3 ${done}, `));
  for (const [at, id] of ids.entries())
    expect(progress).toContainEqual(expect.stringMatching(new RegExp(`^${at} of 3 ${done}, ${id}: \\d+ of \\d+$`)));
  expect([ESCAPE, '\r'].filter((sign) => lines.join('').includes(sign))).toEqual([]);
  expect(lines.at(-1)).toMatch(/^3 conversations/);
  expect(await saidWithin(0, () => commands[name](cwd, 'c.db'))).toHaveLength(1);
});

/** Runs the program in a terminal and sends Ctrl-C when the pattern is shown. */
async function interruptedAt(
  pattern: RegExp,
  cwd: string,
  ...args: string[]
): Promise<{ said: string; exitCode: number }> {
  const { file, args: whole, env } = commandOf(...args);
  const terminal = spawn(file, whole, { cwd, env, cols: 100, rows: 30 });
  let said = '';
  let sent = false;
  terminal.onData((chunk) => {
    said += chunk;
    if (sent || !pattern.test(said)) return;
    sent = true;
    terminal.write('\u0003');
  });
  return new Promise((resolve) => terminal.onExit(({ exitCode }) => resolve({ said, exitCode })));
}

test('check shows one changing line in a terminal, and goes on behind the last one after Ctrl-C', async () => {
  const { cwd, ids } = await filled(MANY, 200);
  const stopped = await interruptedAt(changing('checked'), cwd, 'check', 'sqlite:a.db');
  expect(stopped.exitCode).toBe(130);
  const [, last = ''] = /stopped; continue with --after ([\da-f-]+)/.exec(stopped.said) ?? [];
  const done = ids.indexOf(last) + 1;
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(MANY);
  const rest = await conv({ cwd }, 'check', 'sqlite:a.db', '--after', last);
  // a slow machine shows progress before the last line
  expect([rest.exitCode, rest.stderr]).toEqual([
    0,
    expect.stringMatching(new RegExp(`^${MANY - done} conversation`, 'm')),
  ]);
});

test('backup shows one changing line in a terminal, and the same command goes on after Ctrl-C', async () => {
  const { cwd } = await filled(MANY, 200);
  const command = ['backup', 'sqlite:a.db', '--to', 'sqlite:b.db'];
  const stopped = await interruptedAt(changing('copied'), cwd, ...command);
  expect([stopped.exitCode, stopped.said]).toEqual([
    130,
    expect.stringContaining('stopped; repeat the command to continue'),
  ]);
  const copied = [...stopped.said.matchAll(/ written, 0 existed/g)].length;
  const again = await conv({ cwd }, ...command);
  expect(again.exitCode).toBe(0);
  expect([...again.stdout.matchAll(/ 0 written, /g)].length).toBeGreaterThanOrEqual(Math.max(1, copied));
  const [, sum = '', found = ''] = /60 conversations: (\d+) commits written, (\d+) existed/.exec(again.stderr) ?? [];
  expect(Number(found)).toBeGreaterThan(0);
  expect(Number(sum)).toBeGreaterThan(0);
});
