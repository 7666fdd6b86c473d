import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { processMark } from '@conv/store-kit/system';
import { expect, onTestFinished, test } from 'vitest';

import { PrivateFolders } from '../src/private-folders.ts';

const DAY = 24 * 60 * 60_000;
const source = fileURLToPath(new URL('../src/private-folders.ts', import.meta.url));

/** Makes a folder that other users may write. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'conv-private-folders-'));
  chmodSync(folder, 0o777);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Makes the folders that a process has left. `days`: since its last program was started. */
function left(directory: string, mark: string, days = 0): string {
  const folder = join(directory, `${mark}-abcdef`);
  mkdirSync(join(folder, 'home'), { recursive: true });
  writeFileSync(join(folder, 'used'), ' ');
  const then = new Date(Date.now() - days * DAY);
  utimesSync(join(folder, 'used'), then, then);
  return folder;
}

test('the folders of a process that was killed are removed', async () => {
  const directory = newFolder();
  const { pid } = spawnSync('true');
  const folder = left(directory, `${processMark().split('-')[0]}-${pid}-1`);
  const own = new PrivateFolders(directory);
  await expect.poll(() => existsSync(folder)).toBe(false);
  await own.remove();
  expect(readdirSync(directory)).toEqual([]);
});

test('the folders of another machine stay while it uses them, whatever process has that pid here', async () => {
  const directory = newFolder();
  const { pid } = spawnSync('true');
  const used = left(directory, `00000000-${pid}-1`, 29);
  const forgotten = left(directory, '00000000-1-1', 31);
  const own = new PrivateFolders(directory);
  await expect.poll(() => existsSync(forgotten)).toBe(false);
  expect(existsSync(used)).toBe(true);
  await own.remove();
});

test('folders of others in the same place stay', async () => {
  const directory = newFolder();
  const { pid } = spawnSync('true');
  for (const name of [`${pid}-notes`, '2024-letters', 'home']) mkdirSync(join(directory, name));
  const gone = left(directory, '00000000-1-1', 31);
  const own = new PrivateFolders(directory);
  await expect.poll(() => existsSync(gone)).toBe(false);
  await own.remove();
  expect(readdirSync(directory)).toEqual(['2024-letters', `${pid}-notes`, 'home'].toSorted());
});

test('the start of a program counts as use', async () => {
  const directory = newFolder();
  const own = new PrivateFolders(directory);
  const [name = ''] = readdirSync(directory);
  const used = join(directory, name, 'used');
  utimesSync(used, 0, 0);
  own.use(0);
  await expect.poll(() => statSync(used).mtimeMs).toBeGreaterThan(0);
});

test('a program starts although its use cannot be recorded', () => {
  const directory = newFolder();
  const own = new PrivateFolders(directory);
  const [name = ''] = readdirSync(directory);
  rmSync(join(directory, name), { recursive: true });
  expect(() => own.use(0)).not.toThrow();
});

test('folders from which programs have taken the right to write are removed', () => {
  // as a user whom the rights of files bind, which they do not bind the administrator
  const directory = newFolder();
  const code = `
    import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
    import { PrivateFolders } from ${JSON.stringify(source)};
    if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }
    const own = new PrivateFolders(${JSON.stringify(directory)});
    mkdirSync(own.home + '/go/mod/one', { recursive: true });
    writeFileSync(own.home + '/go/mod/one/file', '');
    for (const folder of ['/go/mod/one', '/go/mod', '/go']) chmodSync(own.home + folder, 0o555);
    await own.remove();
    process.stdout.write(String(existsSync(own.home)));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  expect([stdout, stderr]).toEqual(['false', '']);
});
