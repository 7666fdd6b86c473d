import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { onlyId, shown, untilThere } from '../command.ts';
import { newFolder } from '../new-folder.ts';
import { chatModel, environmentOf } from './model.ts';
import { ChatTerminal, KEYS, type TerminalSetting } from './terminal.ts';

let model: ModelServer;

beforeAll(async () => {
  model = await chatModel();
});
afterAll(() => model.close());

function setting(more: Partial<TerminalSetting> = {}): TerminalSetting {
  return { cwd: newFolder(), ...more, env: { ...environmentOf(model), ...more.env } };
}

test.each([
  [120, 30],
  [80, 24],
  [40, 20],
])('a chat with an approval is whole at %i columns', async (columns, rows) => {
  const where = setting({ columns, rows });
  await using terminal = new ChatTerminal(where, 'chat', '--policy', 'always');
  await terminal.until('ready');
  await terminal.ask('please `touch made`', 'Run it?');
  expect(terminal.text).toContain('terminal wants to run · risk LOW');
  expect(existsSync(join(where.cwd, 'made'))).toBe(false);
  await terminal.ask('y', 'run finished');
  await terminal.until('ready', 'screen');
  expect(existsSync(join(where.cwd, 'made'))).toBe(true);
  expect(Math.max(...terminal.text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns);
  // the changing part left nothing of itself in the log
  expect(terminal.text.match(/^❯$/gm)).toHaveLength(1);
  expect(terminal.text).not.toContain('Run it?');
});

test('a no with a reason reaches the model, and the call does not run', async () => {
  const where = setting();
  await using terminal = new ChatTerminal(where, 'chat', '--policy', 'always');
  await terminal.until('ready');
  await terminal.ask('please `touch made`', 'Run it?');
  await terminal.ask('maybe', 'expected y, n, n and a reason, e, or a, found "maybe"');
  await terminal.ask('n keep it clean', 'run finished');
  expect(existsSync(join(where.cwd, 'made'))).toBe(false);
  const { events } = await shown(where, await onlyId(where));
  expect(events.find(({ kind }) => kind === 'UserRejectObservation')).toMatchObject({
    rejection_reason: 'keep it clean',
  });
});

test('the answer "always" survives a return, covers its tool and risk, and never covers high risk', async () => {
  const where = setting();
  {
    await using terminal = new ChatTerminal(where, 'chat', '--policy', 'always');
    await terminal.until('ready');
    await terminal.ask('please `touch first`', 'a = always terminal');
    await terminal.ask('a', 'run finished');
    terminal.type(KEYS.ctrlD);
    expect(await terminal.ended).toBe(0);
  }
  await using terminal = new ChatTerminal({ ...where, cwd: where.cwd }, 'chat', '--last');
  await terminal.until('ready');
  await terminal.ask('please `touch second`', 'approved, as you said for terminal calls rated LOW');
  await terminal.until('It printed', 'screen');
  await terminal.until('ready', 'screen');
  expect(existsSync(join(where.cwd, 'second'))).toBe(true);
  await terminal.ask('please `rm -rf ~/nothing-of-this-name` risk HIGH', 'risk HIGH', 'screen');
  await terminal.until('Run it?', 'screen');
  expect(terminal.screen).not.toContain('a = always');
  await terminal.ask('a', 'calls of high risk and questions of other programs always need an answer');
  await terminal.ask('n', 'rejected by user');
});

test('P1: kill -9 loses nothing that was shown, and the waiting question comes back with the id', async () => {
  const where = setting();
  let id = '';
  {
    await using terminal = new ChatTerminal(where, 'chat', '--policy', 'always');
    await terminal.until('ready');
    await terminal.ask('first words', 'You said: first words');
    await terminal.ask('please `touch made`', 'Run it?');
    [, id = ''] = /^([0-9a-f-]{36})/m.exec(terminal.text) ?? [];
    terminal.kill();
    await terminal.ended;
  }
  await using terminal = new ChatTerminal(where, 'chat', id.slice(0, 8));
  await terminal.until('Run it?');
  expect(terminal.text).toContain('You said: first words');
  expect(terminal.text).toContain('touch made');
  await terminal.ask('y', 'It printed');
  expect(existsSync(join(where.cwd, 'made'))).toBe(true);
});

test('P1: kill -9 in the middle of a call comes back paused, and says how to go on', async () => {
  const where = setting();
  {
    await using terminal = new ChatTerminal(where, 'chat', '--policy', 'never');
    await terminal.until('ready');
    await terminal.ask('please `touch begun; sleep 100`', 'working');
    await untilThere(join(where.cwd, 'begun'));
    terminal.kill();
    await terminal.ended;
  }
  await using terminal = new ChatTerminal(where, 'chat', '--last');
  await terminal.until('/run continues it');
  expect(terminal.text).toContain('touch begun; sleep 100');
  await terminal.ask('/run', 'It printed');
});

test('Ctrl-C pauses, twice interrupts; on an idle line it empties the line and says how to leave', async () => {
  await using terminal = new ChatTerminal(setting(), 'chat', '--policy', 'never');
  await terminal.until('ready');
  await terminal.ask('please `sleep 100`', '$ sleep 100');
  terminal.type(KEYS.ctrlC);
  await terminal.until('pausing after this step');
  terminal.type(KEYS.ctrlC);
  await terminal.until('run paused');
  await terminal.until('paused ·', 'screen');
  terminal.type('half a thought');
  await terminal.until('❯ half a thought', 'screen');
  terminal.type(KEYS.ctrlC);
  await terminal.until(/^❯$/m, 'screen');
  terminal.type(KEYS.ctrlC);
  await terminal.until('Ctrl-D or /quit leaves');
  terminal.type(KEYS.ctrlD);
  expect(await terminal.ended).toBe(0);
  expect(terminal.text).toMatch(/reopen with: conv chat [0-9a-f-]{36}/);
});

test('text and output stream in below the log, and a message that is sent meanwhile waits for its turn', async () => {
  const where = setting();
  await using terminal = new ChatTerminal(where, 'chat', '--policy', 'never');
  await terminal.until('ready');
  await terminal.ask('think about it', '● I wonder', 'screen');
  terminal.type(KEYS.ctrlC, KEYS.ctrlC);
  await terminal.until('run paused');
  expect(terminal.screen).not.toContain('● I wonder');
  await terminal.ask('please `echo begun; until [ -e go ]; do sleep 0.1; done`', '│ begun', 'screen');
  await terminal.ask('a second wish', 'waits: a second wish', 'screen');
  await terminal.ask('/help', 'list commands and keys');
  writeFileSync(join(where.cwd, 'go'), '');
  await terminal.until('You said: a second wish');
  await terminal.until('ready', 'screen');
  expect(terminal.text.match(/│ begun/g)).toHaveLength(1);
});

test('leaving while the agent works is asked twice, and the work comes back paused', async () => {
  const where = setting();
  await using terminal = new ChatTerminal(where, 'chat', '--policy', 'never');
  await terminal.until('ready');
  await terminal.ask('please `sleep 100`', '$ sleep 100');
  terminal.type(KEYS.ctrlD);
  await terminal.until('leaving stops it');
  terminal.type(KEYS.ctrlD);
  expect(await terminal.ended).toBe(0);
  expect((await shown(where, await onlyId(where))).executionStatus).toBe('paused');
});
