import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { conv, onlyId, shown } from './command.ts';
import { newFolder } from './new-folder.ts';
import { inTerminal } from './terminal.ts';

test('P10: run --confirm without a terminal leaves the action waiting, and resume --approve runs it', async () => {
  const setting = { cwd: newFolder() };
  const made = join(setting.cwd, 'workspace/project/made');
  const run = await conv(setting, 'run', '`touch made`', '--confirm');
  expect(run.exitCode).toBe(8);
  expect(run.stderr).toContain('waits for approval: terminal touch made');
  const id = await onlyId(setting);
  expect((await shown(setting, id)).executionStatus).toBe('waiting_for_confirmation');
  expect((await conv(setting, 'resume', id)).exitCode).toBe(8);
  expect(existsSync(made)).toBe(false);
  expect((await conv(setting, 'resume', id, '--approve')).exitCode).toBe(0);
  expect(existsSync(made)).toBe(true);
});

test('resume --reject does not run it, and the model reads so', async () => {
  const setting = { cwd: newFolder() };
  await conv(setting, 'run', '`touch made`', '--confirm');
  const id = await onlyId(setting);
  expect((await conv(setting, 'resume', id, '--reject')).exitCode).toBe(0);
  expect(existsSync(join(setting.cwd, 'workspace/project/made'))).toBe(false);
  const { events } = await shown(setting, id);
  expect(events.map(({ kind }) => kind)).toContain('UserRejectObservation');
});

test('a terminal shows the command, and y runs it', async () => {
  const cwd = newFolder();
  const { said, exitCode } = await inTerminal(cwd, { 'Run it? [y/n': 'y\r' }, 'run', '`touch made`', '--confirm');
  expect(said).toContain('touch made');
  expect(exitCode).toBe(0);
  expect(existsSync(join(cwd, 'workspace/project/made'))).toBe(true);
});

test('n in a terminal does not run the command', async () => {
  const cwd = newFolder();
  const { exitCode } = await inTerminal(cwd, { 'Run it? [y/n': 'n\r' }, 'run', '`touch made`', '--confirm');
  expect(exitCode).toBe(0);
  expect(existsSync(join(cwd, 'workspace/project/made'))).toBe(false);
});

test('a terminal shows the risk and its reason, and a no can say why', async () => {
  const cwd = newFolder();
  const answers = { 'Run it? [y/n': 'n keep that folder\r' };
  const { said } = await inTerminal(cwd, answers, 'run', '`rm -rf ~/kept`', '--confirm-risky');
  expect(said).toMatch(/risk \S*HIGH/);
  expect(said).toMatch(/why: \S/);
  const { events } = await shown({ cwd }, await onlyId({ cwd }));
  const rejected = events.find(({ kind }) => kind === 'UserRejectObservation');
  expect(rejected).toMatchObject({ rejection_reason: 'keep that folder' });
});

test('P10: run --confirm-risky asks before risky actions and not before others', async () => {
  const harmless = await conv({ cwd: newFolder() }, 'run', '`touch made`', '--confirm-risky');
  expect(harmless.exitCode).toBe(0);
  const risky = await conv({ cwd: newFolder() }, 'run', '`rm -rf ~/kept`', '--confirm-risky');
  expect(risky.exitCode).toBe(8);
  expect(risky.stderr).toMatch(/waits for approval: terminal rm -rf ~\/kept \(risk HIGH: /);
});

test('Ctrl-C at the question leaves the action waiting', async () => {
  const cwd = newFolder();
  const { exitCode } = await inTerminal(cwd, { 'Run it? [y/n': '\u0003' }, 'run', '`touch made`', '--confirm');
  expect(exitCode).toBe(8);
  const { executionStatus } = await shown({ cwd }, await onlyId({ cwd }));
  expect(executionStatus).toBe('waiting_for_confirmation');
});
