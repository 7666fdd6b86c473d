import { join } from 'node:path';

import { beforeAll, describe, expect, test } from 'vitest';

import { conv, onlyId, type Setting, shown } from './command.ts';
import { newFolder } from './new-folder.ts';

describe('copy', () => {
  const setting: Setting = { cwd: newFolder() };
  let id: string;

  beforeAll(async () => {
    await conv(setting, 'run', 'please: `echo first`');
    id = await onlyId(setting);
  });

  test('a conversation goes from a folder to a file and back to another folder, and is the same there', async () => {
    const there = await conv(setting, 'copy', id.slice(0, 8), '--to', 'sqlite:copy.db');
    expect(there.stderr).toMatch(/\d+ commits written; all read back equal, \d+ events, same state/);
    expect(there.stdout).toBe(id);
    expect(there.exitCode).toBe(0);
    const back = await conv(setting, 'copy', id, '--from', 'sqlite:copy.db', '--to', 'fs:back');
    expect(back.exitCode).toBe(0);
    expect(await shown(setting, id, '--dir', join(setting.cwd, 'back'))).toEqual(await shown(setting, id));
  });

  test('a copy takes over what is new, and can be gone on with where it is', async () => {
    await conv(setting, 'copy', id, '--to', 'sqlite:later.db');
    await conv(setting, 'resume', id, 'and: `echo second`', '--scripted');
    const again = await conv(setting, 'copy', id, '--to', 'sqlite:later.db');
    expect(again.stderr).toMatch(/\d+ commits written, \d+ existed; all read back equal/);
    await conv(setting, 'copy', id, '--from', 'sqlite:later.db', '--to', 'fs:moved');
    const resumed = await conv(setting, 'resume', id, 'and: `echo third`', '--scripted', '--dir', 'moved');
    expect(resumed.stdout).toContain('$ echo third');
    const behind = await conv(setting, 'copy', id, '--to', 'fs:moved');
    expect(behind.stderr).toContain('continues differently');
    expect(behind.exitCode).toBe(2);
  });

  test.each([
    [['--to', 'nowhere:x'], 'unknown kind of store nowhere', 2],
    [[], "required option '--to <store>'", 2],
    [['--to', 'postgres://u:hunter2@127.0.0.1:1/x'], 'ECONNREFUSED', 7],
  ])('%j is refused', async (options, reason, exitCode) => {
    const copied = await conv(setting, 'copy', id, ...options);
    expect(copied.stderr).toContain(reason);
    expect(copied.stderr).not.toContain('hunter2');
    expect(copied.exitCode).toBe(exitCode);
  });
});
