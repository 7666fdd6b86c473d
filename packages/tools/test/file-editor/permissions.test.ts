import { chmodSync, chownSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { fileEditor } from '../../src/index.ts';
import { openTool, textOf } from '../open-tool.ts';

const NOBODY = 65_534;

/** Runs as a user whom permissions bind: root is bound by none. */
async function asOrdinaryUser<T>(run: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return run();
  process.seteuid?.(NOBODY);
  try {
    return await run();
  } finally {
    process.seteuid?.(0);
  }
}

function giveAway(path: string): void {
  if (process.geteuid?.() === 0) chownSync(path, NOBODY, NOBODY);
}

const edit = (path: string): Record<string, string> => ({ command: 'str_replace', path, old_str: 'one', new_str: '2' });

test('P13: a file that may not be written is refused, although its folder may be', async () => {
  const { call, session } = await openTool(fileEditor());
  const path = join(session.workingDirectory, 'a.txt');
  writeFileSync(path, 'one', { mode: 0o444 });
  giveAway(session.workingDirectory);
  const result = await asOrdinaryUser(() => call(edit(path)));
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain('permission denied');
  expect(readFileSync(path, 'utf8')).toBe('one');
});

test('P13: a file that may not be read is refused', async () => {
  const { call, session } = await openTool(fileEditor());
  const path = join(session.workingDirectory, 'a.txt');
  writeFileSync(path, 'one');
  giveAway(session.workingDirectory);
  chmodSync(path, 0o000);
  expect(textOf(await asOrdinaryUser(() => call({ command: 'view', path })))).toContain('permission denied');
});

test('a file in a folder where nothing may be created is written in place', async () => {
  const { call, session } = await openTool(fileEditor());
  const path = join(session.workingDirectory, 'a.txt');
  writeFileSync(path, 'one and a long rest that goes');
  giveAway(path);
  giveAway(session.workingDirectory);
  chmodSync(session.workingDirectory, 0o555);
  const inode = statSync(path).ino;
  const result = await asOrdinaryUser(() => call({ ...edit(path), old_str: 'one and a long rest that goes' }));
  chmodSync(session.workingDirectory, 0o755);
  expect(result.isError).toBeFalsy();
  expect(readFileSync(path, 'utf8')).toBe('2');
  expect(statSync(path).ino).toBe(inode);
});

test('P13: a folder where nothing may be created refuses a new file', async () => {
  const { call, session } = await openTool(fileEditor());
  giveAway(session.workingDirectory);
  chmodSync(session.workingDirectory, 0o555);
  const path = join(session.workingDirectory, 'new.txt');
  const result = await asOrdinaryUser(() => call({ command: 'create', path, file_text: 'x' }));
  chmodSync(session.workingDirectory, 0o755);
  expect(textOf(result)).toContain('permission denied');
});

test.runIf(existsSync('/proc/self'))(
  'P13: folders where none can be are refused, and are not tried for ever',
  async () => {
    const { call } = await openTool(fileEditor());
    const result = await call({ command: 'create', path: '/proc/none/of/it.txt', file_text: 'x' });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('/proc/none');
  },
);
