import { execa } from 'execa';
import process from 'node:process';

import type { ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { commandOf, conv } from '../command.ts';
import { newFolder } from '../new-folder.ts';
import { chatModel, environmentOf } from './model.ts';

let model: ModelServer;

beforeAll(async () => {
  model = await chatModel();
});
afterAll(() => model.close());

function piped(cwd: string, input: string | Uint8Array, ...args: string[]) {
  const command = commandOf('chat', ...args);
  const env = { ...command.env, ...environmentOf(model), XDG_STATE_HOME: `${cwd}/state` };
  return execa(process.execPath, command.args, { cwd, env, extendEnv: false, input, reject: false });
}

test('the answer alone goes to standard output, and the id comes back to it', async () => {
  const cwd = newFolder();
  const first = await piped(cwd, 'what is\tthis?\n', '-');
  expect(first).toMatchObject({ exitCode: 0, stdout: 'You said: what is\tthis?' });
  expect(first.stderr).toContain('run finished');
  const [, id = ''] = /reply with: conv chat ([0-9a-f-]{36})/.exec(first.stderr) ?? [];
  // standard input that is no terminal says the same as -
  const second = await piped(cwd, 'and now?', id.slice(0, 8));
  expect(second).toMatchObject({ exitCode: 0, stdout: 'You said: and now?' });
  const third = await piped(cwd, 'and last?', '--last', '-');
  expect(third).toMatchObject({ exitCode: 0, stdout: 'You said: and last?' });
  expect(third.stderr).toContain(id);
});

test('a conversation of a pipe has the start of its first message as its title, and keeps it', async () => {
  const cwd = newFolder();
  await piped(cwd, 'what is this?\n', '-');
  await piped(cwd, 'and now?\n', '--last', '-');
  const { stdout } = await conv({ cwd }, 'list', '--json');
  expect(JSON.parse(stdout)).toMatchObject([{ title: 'what is this?' }]);
});

test('P10: a risky call waits with exit code 8, shown in full, and runs with --policy never', async () => {
  const cwd = newFolder();
  const risky = 'please `rm -rf ~/nothing-of-this-name` risk HIGH';
  const waiting = await piped(cwd, risky, '-');
  expect(waiting).toMatchObject({ exitCode: 8, stdout: '' });
  expect(waiting.stderr).toContain('terminal wants to run · risk HIGH');
  expect(waiting.stderr).toContain('│ rm -rf ~/nothing-of-this-name');
  expect(await piped(cwd, 'please `echo hi`', '-', '--policy', 'never')).toMatchObject({
    exitCode: 0,
    stdout: 'It printed: hi',
  });
});

test('a sub-agent has a line for its start, each step and its end, on standard error alone', async () => {
  const cwd = newFolder();
  const ended = await piped(cwd, 'delegate please `echo hi`', '-', '--policy', 'never', '--tools', 'terminal,task');
  expect(ended.exitCode).toBe(0);
  expect(ended.stdout).toMatch(/^It printed: Task ID[^\n]*$/);
  expect(ended.stderr.split('\n').filter((line) => line.startsWith('↳'))).toEqual([
    '↳ general-purpose · a small look begins',
    expect.stringMatching(/^↳ general-purpose · a small look: terminal /),
    '↳ general-purpose · a small look: answers',
    expect.stringMatching(/^↳ general-purpose · a small look: finished, 2 steps/),
  ]);
});

test('P10: the program names waiting calls of a sub-agent with the command that decides on them', async () => {
  const cwd = newFolder();
  const ended = await piped(cwd, 'delegate please `touch made` risk HIGH', '-', '--tools', 'terminal,task');
  const [, id = ''] = /its calls wait for you; decide with: conv chat ([0-9a-f-]{36})/.exec(ended.stderr) ?? [];
  const { stdout } = await conv({ cwd }, 'list', '--json');
  expect(JSON.parse(stdout)).toContainEqual(
    expect.objectContaining({ id, status: 'waiting_for_confirmation', parentId: expect.any(String) }),
  );
});

test('P9: no text of others controls the terminal through standard error, whatever its place', async () => {
  const cwd = newFolder();
  const hostile = '\u001b[2J\u001b]0;owned\u0007\u009b5A\u202e';
  const ended = await piped(
    cwd,
    `delegate ${hostile} \`printf '\\033[2J\\033]0;owned\\007\\u009b5A'\``,
    '-',
    '--policy',
    'never',
    '--tools',
    'terminal,task',
  );
  expect(ended.exitCode).toBe(0);
  expect(ended.stderr).toContain('↳ general-purpose');
  expect(ended.stderr).not.toMatch(/[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\n]]/v);
});

test('every mistake ends with 2 or 3, says what is expected, and makes no conversation', async () => {
  const cwd = newFolder();
  const mistakes: readonly (readonly [input: string | Uint8Array, args: string[], exitCode: number, said: string])[] = [
    ['', ['-'], 2, 'standard input: expected a message, found nothing but blanks'],
    [new Uint8Array([0xff, 0xfe]), ['-'], 2, 'expected a message as UTF-8 text'],
    ['hi', ['abcd', 'more'], 2, 'expected - for a message from standard input, found "more"'],
    ['hi', ['-', 'abcd'], 2, 'expected the id before the -, as in: chat abcd -'],
    ['hi', ['abcd', '--last'], 2, 'expected an id or --last, found both'],
    ['hi', ['--last'], 3, '; leave out --last to begin one'],
    ['hi', ['abcd'], 3, 'no conversation begins with abcd'],
    ['hi', ['no id'], 2, 'expected an id or at least its first 4 characters'],
    ['hi', ['-', '--policy', 'sometimes'], 2, 'Allowed choices are never, risky, always'],
  ];
  for (const [input, args, exitCode, said] of mistakes) {
    const ended = await piped(cwd, input, ...args);
    expect(ended.stderr).toContain(said);
    expect(ended).toMatchObject({ exitCode, stdout: '' });
  }
  expect(model.requests.some(({ body }) => JSON.stringify(body).includes('"hi"'))).toBe(false);
});
