import { join } from 'node:path';

import { createModelServer, type ModelServer, say } from '@conv/testing-model-server';
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

function setting(env: Readonly<Record<string, string>> = {}): TerminalSetting {
  return { cwd: newFolder(), env: { ...environmentOf(model), ...env } };
}

const COLOR = new RegExp(String.raw`\u001b\[(?:3[0-7]|9[0-7]|[127])m`);

test('NO_COLOR leaves out every colour, and all is said in words', async () => {
  await using terminal = new ChatTerminal(setting({ NO_COLOR: '1' }), 'chat', '--policy', 'always');
  await terminal.until('ready');
  await terminal.ask('please `echo plain`', 'Run it?');
  await terminal.ask('y', 'It printed: plain');
  expect(terminal.written).not.toMatch(COLOR);
});

test('the chat is lines in and lines out with TERM=dumb, without a control sequence', async () => {
  await using terminal = new ChatTerminal(setting({ TERM: 'dumb' }), 'chat', '--policy', 'always');
  await terminal.until('/help');
  terminal.send('first \\');
  await terminal.ask('second', 'You said: first');
  await terminal.until('run finished');
  await terminal.ask('please `echo plain`', 'Run it?');
  await terminal.ask('y', 'It printed: plain');
  expect(terminal.written).not.toContain('\u001b');
  terminal.type(KEYS.ctrlD);
  expect(await terminal.ended).toBe(0);
});

test('text of a model cannot control the terminal, neither while it streams in nor in the log', async () => {
  const hostile = 'safe \u001b[2J\u001b]0;owned\u0007\u202eevil\u009b31m end';
  await using server = await createModelServer({ script: () => say(hostile) });
  await using terminal = new ChatTerminal(setting({ LLM_BASE_URL: server.url }), 'chat');
  await terminal.until('ready');
  await terminal.ask('hello', 'run finished');
  expect(terminal.text).toContain(String.raw`safe \u202eevil end`);
  for (const sequence of ['\u001b[2J', 'owned', '\u202e', '\u009b']) expect(terminal.written).not.toContain(sequence);
});

test('a terminal that gets narrower and wider keeps one input and the whole log', async () => {
  await using terminal = new ChatTerminal(setting(), 'chat');
  await terminal.until('ready');
  await terminal.ask('hello', 'run finished');
  await terminal.until('ready', 'screen');
  terminal.type('begun');
  await terminal.until('❯ begun', 'screen');
  for (const columns of [40, 100, 60]) {
    terminal.resize(columns, 24);
    terminal.type('x');
    await terminal.until(/❯ begunx+$/m, 'screen');
  }
  await terminal.until('❯ begunxxx', 'screen');
  expect(terminal.text.match(/❯ begun/g)).toHaveLength(1);
  expect(terminal.text).toContain('You said: hello');
});

test('a terminal that is closed ends the chat, and its work comes back paused', async () => {
  const where = setting();
  await using terminal = new ChatTerminal(where, 'chat', '--policy', 'never');
  await terminal.until('ready');
  terminal.send('please `touch begun; sleep 100`');
  await untilThere(join(where.cwd, 'begun'));
  process.kill(terminal.pid, 'SIGHUP');
  await terminal.ended;
  expect((await shown(where, await onlyId(where))).executionStatus).toBe('paused');
});
