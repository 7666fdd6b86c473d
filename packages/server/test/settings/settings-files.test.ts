import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

import { systemPlatform, type Platform } from '@conv/core/platform';
import { processMark } from '@conv/store-kit/system';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { withFileLock } from '../../src/settings/file-lock.ts';
import { changePrivateFile } from '../../src/settings/private-file.ts';
import { StoredFile } from '../../src/settings/stored-file.ts';

const OTHER = 65_534;

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conv-private-'));
  path = join(folder, 'settings.json');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the mark of a process that has ended. */
function endedMark(): string {
  const [place = ''] = processMark().split('-');
  return `${place}-${spawnSync(process.execPath, ['-e', '']).pid}-1`;
}

/** A platform on which any wait is over at once, and long. */
function impatient(): Platform {
  let now = 0;
  return {
    ...systemPlatform,
    monotonic: () => now,
    setTimer: (milliseconds, work, options) => {
      now += milliseconds * 1000;
      return systemPlatform.setTimer(0, work, options);
    },
  };
}

test('P9: changes of several processes to one file of settings lose none of them', async () => {
  const numbers = Array.from({ length: 8 }, (_, at) => `n${at}`);
  // each has turns of its own, as another process has
  const files = numbers.map(() => new StoredFile(path, systemPlatform));
  await Promise.all(files.map((file, at) => file.change((before) => ({ ...before, [numbers[at] ?? '']: true }))));
  expect(Object.keys((await files[0]?.read()) ?? {}).toSorted()).toEqual(numbers);
  expect(readdirSync(folder)).toEqual(['settings.json']);
});

test('a lock of a process that has ended is passed by every change that waits for it', async () => {
  writeFileSync(`${path}.lock`, `${endedMark()} an-id`);
  const add = (): Promise<void> => changePrivateFile(path, (text = '') => `${text}x`);
  await Promise.all([add(), add(), add()]);
  expect(readFileSync(path, 'utf8')).toBe('xxx');
  expect(readdirSync(folder)).toEqual(['settings.json']);
});

test('a lock that a living process has for too long is named, and stays', async () => {
  writeFileSync(`${path}.lock`, `${processMark()} an-id`);
  await expect(withFileLock(path, async () => undefined, impatient())).rejects.toThrow(
    `found that another process has held ${path}.lock for 20 s`,
  );
  expect(existsSync(`${path}.lock`)).toBe(true);
});

test('a change that changes nothing takes no lock and makes no folder', async () => {
  writeFileSync(`${path}.lock`, `${processMark()} an-id`);
  await changePrivateFile(path, () => undefined);
  await changePrivateFile(join(folder, 'missing/settings.json'), () => undefined);
  expect(readdirSync(folder)).toEqual(['settings.json.lock']);
});

test('a work that fails leaves neither a lock nor a part of a file', async () => {
  let calls = 0;
  const work = (): string => {
    if (calls++ > 0) throw new RangeError('the work failed');
    return 'x';
  };
  await expect(changePrivateFile(path, work)).rejects.toThrow('the work failed');
  expect(readdirSync(folder)).toEqual([]);
});

test.runIf(process.getuid?.() === 0)(
  'P9: a file that root changes stays that of its owner, who alone can read it',
  async () => {
    writeFileSync(path, '{}', { mode: 0o600 });
    chownSync(path, OTHER, OTHER);
    chmodSync(folder, 0o755);
    await new StoredFile(path, systemPlatform).change(() => ({ by: 'root' }));
    const { uid, gid, mode } = statSync(path);
    expect([uid, gid, mode & 0o777]).toEqual([OTHER, OTHER, 0o600]);
  },
);
