import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { newFolder } from '../new-folder.ts';
import { chatModel, environmentOf } from './model.ts';
import { ChatTerminal, KEYS, type TerminalSetting } from './terminal.ts';

let model: ModelServer;

beforeAll(async () => {
  model = await chatModel();
});
afterAll(() => model.close());

/** Makes a program say on a signal what a careless library may say. */
const WORDS = String.raw`
process.on('SIGUSR2', () => {
  console.log('a note on %s', 'standard output');
  process.stdout.write('half a \u001b[2Jnote ');
  process.stdout.write('more\n');
  console.error('a remark of %s', 'a library');
  process.stderr.write('10 %\r50 %\r100 % \u001b[2J\u001b]0;owned\u0007done\nhalf a ');
  process.stderr.write('line\n');
  process.emitWarning('it looks \u001b[31mbad\u009b2J');
});
`;

function talkative(env: Readonly<Record<string, string>> = {}): TerminalSetting {
  const cwd = newFolder();
  const file = join(cwd, 'words.mjs');
  writeFileSync(file, WORDS);
  return { cwd, env: { ...environmentOf(model), NODE_OPTIONS: `--import ${file}`, ...env } };
}

test('words on standard output and error stand in the log, made safe, and the input line stays as typed', async () => {
  await using terminal = new ChatTerminal(talkative(), 'chat');
  await terminal.until('ready');
  terminal.type('half a thought');
  await terminal.until('❯ half a thought', 'screen');
  process.kill(terminal.pid, 'SIGUSR2');
  await terminal.until('warning: it looks bad');
  terminal.type(' ends');
  await terminal.until('❯ half a thought ends', 'screen');
  const lines = terminal.text.split('\n');
  for (const line of [
    'a note on standard output',
    'half a note more',
    'a remark of a library',
    '100 % done',
    'half a line',
    'warning: it looks bad',
  ])
    expect(lines).toContain(line);
  expect(terminal.text.match(/❯ half a thought/g)).toHaveLength(1);
  for (const raw of ['\u001b[2J', 'owned', '\u009b']) expect(terminal.written).not.toContain(raw);
  expect(terminal.cursor.column).toBe('❯ half a thought ends'.length);
  terminal.type(KEYS.ctrlC, KEYS.ctrlD);
  expect(await terminal.ended).toBe(0);
});

test('a warning is made safe with TERM=dumb, too', async () => {
  await using terminal = new ChatTerminal(talkative({ TERM: 'dumb' }), 'chat');
  await terminal.until('/help');
  process.kill(terminal.pid, 'SIGUSR2');
  await terminal.until('warning: it looks bad');
  expect(terminal.written).not.toContain('\u009b');
});
