import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { shown } from '../command.ts';
import { newFolder } from '../new-folder.ts';
import { chatModel, environmentOf } from './model.ts';
import { ChatTerminal, KEYS, type TerminalSetting } from './terminal.ts';

let model: ModelServer;

beforeAll(async () => {
  model = await chatModel();
});
afterAll(() => model.close());

function setting(env: Readonly<Record<string, string>> = {}): TerminalSetting {
  return { cwd: newFolder(), rows: 40, env: { ...environmentOf(model), ...env } };
}

test('the commands about settings show and change them, and the next chat has them still', async () => {
  const where = setting();
  {
    await using terminal = new ChatTerminal(where, 'chat');
    await terminal.until('approval from MEDIUM risk');
    await terminal.ask('/model', 'the model is openai/scripted');
    await terminal.ask('/model openai/another', 'from the next request on the model is openai/another');
    await terminal.ask('/policy', 'calls of MEDIUM risk and above');
    await terminal.ask('/policy always', 'from now on every call waits for your approval');
    await terminal.until('approval for all', 'screen');
    await terminal.ask('/policy risky', 'from now on calls of MEDIUM risk and above');
    await terminal.ask('/policy always', 'approval for all', 'screen');
    await terminal.ask('hello', 'run finished');
    await terminal.until('ready', 'screen');
    terminal.send('/quit');
    expect(await terminal.ended).toBe(0);
  }
  await using terminal = new ChatTerminal(where, 'chat', '--last');
  await terminal.until('approval for all');
  expect(terminal.text).toContain('openai/another');
});

test('the lines of commands break between words in a narrow terminal', async () => {
  await using terminal = new ChatTerminal({ ...setting(), columns: 40 }, 'chat');
  await terminal.until('ready');
  await terminal.ask('hello', 'run finished');
  await terminal.ask('/cost', 'limits');
  await terminal.ask('/help', '//…');
  await terminal.until('ready', 'screen');
  const text = terminal.text.replaceAll(/\s*\n\s*/g, ' ');
  for (const line of ['(default): 1 call, $0', 'tokens in', 'look back at an event, or list the last'])
    expect(text).toContain(line);
  for (const line of ['send; the message waits while the agent works', 'send a message that begins with a slash'])
    expect(text).toContain(line);
});

test('/approve and /reject decide on all waiting calls', async () => {
  await using terminal = new ChatTerminal(setting(), 'chat', '--policy', 'always');
  await terminal.until('ready');
  await terminal.ask('please `echo one`', 'Run it?', 'screen');
  await terminal.ask('/approve', 'It printed: one');
  await terminal.ask('please `echo two`', 'Run it?', 'screen');
  await terminal.ask('/reject not two', 'rejected by user');
  await terminal.until('│ not two');
  await terminal.until('ready', 'screen');
});

test('/at looks back, /fork goes on in a copy, /files and /cost give account', async () => {
  await using terminal = new ChatTerminal(setting(), 'chat', '--policy', 'never');
  await terminal.until('ready');
  const [, first] = /^([0-9a-f-]{36})/m.exec(terminal.text) ?? [];
  await terminal.ask('/cost', 'no model has been asked yet');
  await terminal.ask('alpha', 'You said: alpha');
  terminal.send('beta');
  // the answer is shown while it streams in, before it is an event
  await terminal.until(/You said: beta\n[^]*run finished/);
  await terminal.ask('/at', / 4 {2}agent: You said: beta/);
  terminal.type('/at ');
  await terminal.until(/→ 4 +agent: You said: beta/, 'screen');
  terminal.type('2', KEYS.enter);
  await terminal.until('after event 2 of');
  await terminal.ask('/files', 'the agent wrote no file with its editor');
  await terminal.ask('/cost', /openai\/scripted \(\w+\): 2 calls/);
  await terminal.ask('/fork 2', /^[0-9a-f-]{36}[^]*^[0-9a-f-]{36}/m);
  const ids = terminal.text.match(/^[0-9a-f-]{36}/gm) ?? [];
  expect(ids).toHaveLength(2);
  expect(ids[1]).not.toBe(first);
  await terminal.ask('gamma', '● agent\n  You said: gamma');
  await terminal.until('ready', 'screen');
  terminal.send('/quit');
  await terminal.ended;
  expect(terminal.text).toContain(`reopen with: conv chat ${ids[1] ?? ''}`);
});

test('/run goes on in a fork that ends with the result of a call', async () => {
  const where = setting();
  await using terminal = new ChatTerminal(where, 'chat', '--policy', 'never');
  await terminal.until('ready');
  await terminal.ask('please `echo hi`', 'It printed: hi');
  await terminal.ask('/fork 3', /^[0-9a-f-]{36}[^]*^[0-9a-f-]{36}/m);
  const [, fork = ''] = terminal.text.match(/^[0-9a-f-]{36}/gm) ?? [];
  const newest = async (): Promise<object | undefined> => (await shown(where, fork)).events.at(-1);
  expect(await newest()).toMatchObject({ kind: 'ObservationEvent' });
  terminal.send('/run');
  // in the log, because lines of a terminal may go when the prompt is drawn anew
  await expect.poll(async () => JSON.stringify(await newest())).toContain('It printed: hi');
});

test('every mistake in a command says what is expected, and nothing is sent', async () => {
  await using terminal = new ChatTerminal(setting(), 'chat');
  await terminal.until('ready');
  const mistakes: readonly (readonly [line: string, said: string])[] = [
    ['/approve', '/approve: no call waits for approval'],
    ['/reject', '/reject: no call waits for approval'],
    ['/run', '/run: there is nothing to continue'],
    ['/polic sometimes', 'unknown command /polic: did you mean /policy?'],
    ['/policy sometimes', '/policy: expected never, risky or always, found "sometimes"'],
    ['/model two words', '/model: expected one name'],
    ['/model nonsense', 'nonsense'],
    ['/at soon', '/at: expected an event, and there is none yet, found "soon"'],
    ['/fork 3', '/fork: expected an event, and there is none yet, found "3"'],
    ['/help me', '/help: it takes no argument, found "me"'],
    ['/zzz', 'unknown command /zzz: /help lists the commands'],
  ];
  for (const [line, said] of mistakes) {
    await terminal.ask(line, said.slice(0, 60));
  }
  expect(model.requests.some(({ body }) => JSON.stringify(body).includes('/zzz'))).toBe(false);
  await terminal.ask('//zzz is a word', 'You said: /zzz is a word');
});

test('Tab completes commands and their values; Up brings back what was typed, in the next chat too', async () => {
  const where = setting();
  {
    await using terminal = new ChatTerminal(where, 'chat');
    await terminal.until('ready');
    terminal.type('/pol');
    await terminal.until('→ /policy', 'screen');
    terminal.type(KEYS.tab, 'alw');
    await terminal.until('/policy alw', 'screen');
    terminal.type(KEYS.tab);
    await terminal.until('❯ /policy always', 'screen');
    terminal.type(KEYS.enter);
    await terminal.until('every call waits for your approval');
    await terminal.ask('the key is sk-abcdefghijklmnopqrstuvwx', 'You said: the key');
    await terminal.ask('a remark', 'You said: a remark');
    terminal.type(KEYS.ctrlD);
    await terminal.ended;
  }
  const folder = join(where.cwd, 'state/conv/history');
  const [file = ''] = readdirSync(folder);
  expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, file), 'utf8')).not.toContain('sk-abc');
  await using terminal = new ChatTerminal(where, 'chat');
  await terminal.until('ready');
  terminal.type(KEYS.up);
  await terminal.until('❯ a remark', 'screen');
  terminal.type(KEYS.up);
  await terminal.until('❯ /policy always', 'screen');
});

test('several lines, wide characters and pastes are one message; the cursor stands where the text does', async () => {
  await using terminal = new ChatTerminal(setting(), 'chat');
  await terminal.until('ready');
  terminal.type('漢字と', KEYS.left, 'の');
  await terminal.until('❯ 漢字のと', 'screen');
  expect(terminal.cursor.column).toBe(2 + 6);
  terminal.type(KEYS.altEnter, 'second', KEYS.newLine, 'third\\', KEYS.enter, 'fourth');
  terminal.type('\u001b[200~ pasted\nfifth\u001b[201~');
  await terminal.until('fifth', 'screen');
  expect(terminal.screen).not.toContain('You said');
  terminal.type(KEYS.enter);
  await terminal.until('You said: 漢字の');
  await terminal.until('ready', 'screen');
  for (const line of ['second', 'third', 'fourth pasted', 'fifth']) expect(terminal.text).toContain(`  ${line}`);
});

test('Ctrl-G and /edit write in the editor of the environment, and name an editor that fails', async () => {
  const where = setting();
  const editor = join(where.cwd, 'editor.sh');
  writeFileSync(editor, '#!/bin/sh\necho "written elsewhere" >> "$1"\n');
  chmodSync(editor, 0o700);
  {
    await using terminal = new ChatTerminal({ ...where, env: { ...where.env, EDITOR: editor } }, 'chat');
    await terminal.until('ready');
    terminal.type('begun here', KEYS.ctrlG);
    await terminal.until('❯ begun herewritten elsewhere', 'screen');
    terminal.type(KEYS.enter);
    await terminal.until('You said: begun herewritten elsewhere');
  }
  await using terminal = new ChatTerminal({ ...where, env: { ...where.env, EDITOR: 'no-such-editor' } }, 'chat');
  await terminal.until('ready');
  await terminal.ask('/edit', 'the editor "no-such-editor" was not found; set VISUAL or EDITOR');
});

test('a fork that ends with a message says that nothing answered it, and /run lets the agent answer', async () => {
  await using terminal = new ChatTerminal(setting(), 'chat', '--policy', 'never');
  await terminal.until('ready');
  await terminal.ask('/run', 'there is nothing to continue');
  await terminal.ask('alpha', 'You said: alpha');
  await terminal.ask('/at', '1  user: alpha');
  await terminal.ask('/fork 1', 'has no answer yet; /run lets the agent answer it');
  await terminal.ask('/run', /You said: alpha[^]*You said: alpha/);
});
