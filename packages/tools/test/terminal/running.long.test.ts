import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { systemPlatform } from '@conv/core/platform';
import { describe, expect, test } from 'vitest';

import { textOf } from '../open-tool.ts';
import { metadataOf, openTerminal, PATIENT, runUntil, typeUntil, UNHURRIED } from './open-terminal.ts';
import { terminal } from './tested-terminal.ts';

const impatient = terminal({ noOutputTimeout: 0.15 });

describe('a command that does not end', () => {
  test('an endless command returns its output so far with exit code -1 and says what can be done', async () => {
    const shell = await openTerminal(impatient);
    const { text, last: result } = await runUntil(shell, 'printf "name? "; read name; echo "hello $name"', '? ');
    expect(text).toBe('name? ');
    expect(result.isError).toBe(false);
    expect(result.fields).toMatchObject({ exit_code: -1, timeout: true });
    expect(metadataOf(result)['suffix']).toMatch(/still running.*is_input.*C-c.*reset/s);
    const answered = await shell.run('Ada', PATIENT);
    expect(textOf(answered)).toBe('hello Ada');
    expect(answered.fields).toMatchObject({ exit_code: 0, timeout: false });
  });

  test('an endless command returns at its timeout although it prints, and is read on with empty input', async () => {
    const shell = await openTerminal();
    const lines = 'i=0; while :; do echo line $((++i)); read -t 0.02 <> <(:); done';
    const first = await shell.run(lines, { timeout: 0.3 });
    expect(first.fields).toMatchObject({ exit_code: -1, timeout: true });
    let shown = textOf(first);
    while (!shown.includes('line 30\n')) shown += `\n${textOf(await shell.run('', { is_input: true, timeout: 0.1 }))}`;
    const numbers = [...shown.matchAll(/^line (\d+)$/gm)].map(([, number]) => Number(number));
    expect(numbers).toEqual(numbers.map((_, at) => at + 1));
  });

  test('a command with a timeout may be silent for longer than others', async () => {
    const shell = await openTerminal(impatient);
    const result = await shell.run('sleep 0.4; echo late', UNHURRIED);
    expect(textOf(result)).toBe('late');
  });

  test('a command is cut off by the longest time that the options allow', async () => {
    const shell = await openTerminal(terminal({ maxTimeout: 0.1 }));
    const result = await shell.run('sleep 60', { timeout: 50 });
    expect(result.fields).toMatchObject({ exit_code: -1, timeout: true });
  });

  test('a running command keeps another command from starting, which is an error and says so', async () => {
    const shell = await openTerminal(impatient);
    await shell.run('cat');
    const refused = await shell.run('touch never');
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toMatch(/not run.*still running/s);
    expect((await shell.run('C-d', PATIENT)).fields?.['exit_code']).toBe(0);
    expect(textOf(await shell.run('ls', UNHURRIED))).toBe('');
  });

  test('a command is interrupted by C-c', async () => {
    const shell = await openTerminal(impatient);
    await shell.run('while true; do sleep 1; done');
    expect((await shell.run('C-c', PATIENT)).fields?.['exit_code']).toBe(130);
    expect(textOf(await shell.run('echo next', UNHURRIED))).toBe('next');
  });

  test('a command is stopped by C-z and goes on with fg', async () => {
    const shell = await openTerminal(impatient);
    await shell.run('cat');
    expect((await shell.run('C-z', PATIENT)).fields?.['exit_code']).toBe(148);
    await shell.run('fg');
    await typeUntil(shell, 'again', 'again');
    expect((await shell.run('C-d', PATIENT)).fields?.['exit_code']).toBe(0);
  });

  test('a command that does not end may be an interpreter', async () => {
    const shell = await openTerminal(terminal({ noOutputTimeout: 0.6 }));
    expect(textOf(await shell.run('bash --norc --noediting -i'))).toBeDefined();
    await typeUntil(shell, 'echo $((6 * 7)); x=$((x + 1))', '42');
    await typeUntil(shell, 'echo "x is $x"', 'x is 1');
    expect((await shell.run('exit 5', PATIENT)).fields?.['exit_code']).toBe(5);
  });
});

describe('input', () => {
  test('input without a running command is an error', async () => {
    const shell = await openTerminal();
    expect(await shell.run('y', { is_input: true })).toMatchObject({ isError: true });
    expect(await shell.run('')).toMatchObject({ isError: true });
  });

  test('input that a program does not read is not run by the shell', async () => {
    const shell = await openTerminal(impatient);
    await shell.run('head -n 1; read -t 0.1 y </dev/null; true');
    await shell.run('one\ntouch owned\ntouch owned', PATIENT);
    expect(textOf(await shell.run('ls; echo done', UNHURRIED))).toBe('done');
  });
});

describe('reset', () => {
  test('reset ends what runs and starts in the conversation’s folder', async () => {
    const shell = await openTerminal(impatient);
    await shell.run('cd /; x=1; cat');
    const result = await shell.run('', { reset: true });
    expect(result).toMatchObject({ isError: false, fields: { exit_code: 0 } });
    expect(textOf(await shell.run('pwd; echo "[$x]"', UNHURRIED))).toBe(`${shell.session.workingDirectory}\n[]`);
  });

  test('reset runs the command that comes with it, and says that the shell is new', async () => {
    const shell = await openTerminal();
    await shell.run('x=1');
    const result = await shell.run('echo "[$x]"', { reset: true });
    expect(textOf(result)).toBe('[]');
    expect(metadataOf(result)['prefix']).toMatch(/new/);
    expect(metadataOf(await shell.run('true'))['prefix']).toBe('');
  });

  test('reset does not go with is_input', async () => {
    const shell = await openTerminal();
    expect(await shell.run('x', { reset: true, is_input: true })).toMatchObject({ isError: true });
  });
});

test('output of background programs between commands is marked apart from the command’s output', async () => {
  const shell = await openTerminal();
  await shell.run('mkfifo go printed; (read x <go; echo from behind; echo >printed) &');
  await writeFile(join(shell.session.workingDirectory, 'go'), 'x\n');
  await readFile(join(shell.session.workingDirectory, 'printed'));
  const result = await shell.run('echo mine');
  expect(textOf(result)).toBe('mine');
  expect(metadataOf(result)['prefix']).toContain('from behind');
  expect(metadataOf(await shell.run('true'))['prefix']).toBe('');
});

test('a second call at the same time is refused, and the first is undisturbed', async () => {
  const shell = await openTerminal();
  const first = shell.run('read -t 0.1 x; echo one');
  const second = await shell.run('echo two');
  expect(second.isError).toBe(true);
  expect(textOf(await first)).toBe('one');
});

test('closing ends a call that is running, and programs may react to the hangup', async () => {
  // the milliseconds before the kill pass slowly, because a program on a busy machine may not run at all in them
  const platform = { ...systemPlatform, monotonic: () => systemPlatform.monotonic() / 100 };
  const shell = await openTerminal(terminal({ platform }));
  const call = shell.run(`sh -c "trap 'echo bye >said; exit' HUP; echo >ready; while :; do sleep 0.01; done"`);
  while (!existsSync(join(shell.session.workingDirectory, 'ready')))
    await new Promise((resolve) => setImmediate(resolve));
  const [end] = await Promise.allSettled([call, shell.tool.close?.()]);
  expect(end).toMatchObject({ status: 'rejected', reason: { code: 'FAILED' } });
  expect(await readFile(join(shell.session.workingDirectory, 'said'), 'utf8')).toBe('bye\n');
});

test('a closed terminal rejects', async () => {
  const shell = await openTerminal();
  await shell.run('true');
  await shell.tool.close?.();
  await expect(shell.run('true')).rejects.toThrow(expect.objectContaining({ code: 'FAILED' }));
});
