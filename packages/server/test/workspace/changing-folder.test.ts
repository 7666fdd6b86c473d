import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { AllowedFolders } from '../../src/workspace/allowed-folders.ts';
import { archiveFolder } from '../../src/workspace/archive.ts';

const SIZE = 8 * 1024 * 1024;
let base: string;
let folder: string;
let elsewhere: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'conv-changing-')));
  [folder, elsewhere] = [join(base, 'folder'), join(base, 'elsewhere')];
  for (const path of [join(folder, 'b'), elsewhere, join(base, 'unpacked')]) mkdirSync(path, { recursive: true });
  // more than the streams hold, and nothing that can be compressed
  writeFileSync(join(folder, 'a'), randomBytes(SIZE));
  for (const place of ['b/key', 'c']) writeFileSync(join(folder, place), 'harmless, and as long as the key');
  writeFileSync(join(elsewhere, 'key'), 'the key');
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

/** Packs the folder, makes a change once the first file is being read, and unpacks the archive. Resolves with its names. */
async function packedWhile(change: () => void): Promise<readonly string[]> {
  const folders = new AllowedFolders(['/'], () => [elsewhere]);
  const real = await folders.checkTree(folder, 'session');
  const chunks: Buffer[] = [];
  let [received, isChanged] = [0, false];
  for await (const chunk of archiveFolder(real, [], folders.opened('session')) as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    received += chunk.length;
    if (received < 64 * 1024 || isChanged) continue;
    isChanged = true;
    change();
  }
  const input = Buffer.concat(chunks);
  execFileSync('tar', ['-xz', '-C', join(base, 'unpacked')], { input });
  const names = execFileSync('tar', ['-tz'], { input, encoding: 'utf8' }).split('\n');
  return names.map((name) => name.replace(/^\.\/|\/$/g, '')).filter((name) => name !== '' && name !== '.');
}

const unpacked = (path: string): string => readFileSync(join(base, 'unpacked', path), 'latin1');

test('a folder that stays as it is is packed as a whole', async () => {
  expect(await packedWhile(() => {})).toEqual(['a', 'b', 'b/key', 'c']);
  expect(unpacked('a').length).toBe(SIZE);
});

test('a link that took the place of a folder is packed as a link', async () => {
  const names = await packedWhile(() => {
    renameSync(join(folder, 'b'), join(base, 'away'));
    symlinkSync(elsewhere, join(folder, 'b'));
  });
  expect(names).toEqual(['a', 'b', 'c']);
  expect(readlinkSync(join(base, 'unpacked/b'))).toBe(elsewhere);
});

test('no file is read through a link that took the place of the folder around it', async () => {
  rmSync(join(folder, 'a'));
  writeFileSync(join(folder, 'b/a'), randomBytes(SIZE));
  const names = await packedWhile(() => {
    renameSync(join(folder, 'b'), join(base, 'away'));
    symlinkSync(elsewhere, join(folder, 'b'));
  });
  expect(names).toEqual(['b', 'b/a', 'c']);
});

test('a file that has become another name of a file of the server is left out', async () => {
  const names = await packedWhile(() => {
    rmSync(join(folder, 'c'));
    linkSync(join(elsewhere, 'key'), join(folder, 'c'));
  });
  expect(names).toEqual(['a', 'b', 'b/key']);
});

test('files that were removed meanwhile are left out', async () => {
  const names = await packedWhile(() => rmSync(join(folder, 'b'), { recursive: true }));
  expect(names).toEqual(['a', 'c']);
});

test('a file that became shorter is filled up with zeros', async () => {
  await packedWhile(() => truncateSync(join(folder, 'a'), SIZE / 2));
  expect(unpacked('a').length).toBe(SIZE);
  expect(unpacked('a').slice(-1024)).toBe('\0'.repeat(1024));
  expect(unpacked('c')).toContain('harmless');
});
