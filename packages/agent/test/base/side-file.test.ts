import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeSideFile } from '../../src/base/side-file.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'conv-side-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('a side file takes the place of a link at its name, and the target of the link stays', async () => {
  const folder = await newFolder();
  const target = join(await newFolder(), '.bashrc');
  await writeFile(target, 'mine');
  await symlink(target, join(folder, 'output.txt'));
  await writeSideFile(join(folder, 'output.txt'), 'output');
  expect(await readFile(join(folder, 'output.txt'), 'utf8')).toBe('output');
  expect(await readFile(target, 'utf8')).toBe('mine');
  expect(await readdir(folder)).toEqual(['output.txt']);
});

test('a side file that cannot be written rejects, and leaves nothing behind', async () => {
  const folder = await newFolder();
  await mkdir(join(folder, 'output.txt'));
  await expect(writeSideFile(join(folder, 'output.txt'), 'output')).rejects.toThrow('EISDIR');
  expect(await readdir(folder)).toEqual(['output.txt']);
});

test('a side file is written in a folder that is not there yet', async () => {
  const path = join(await newFolder(), 'one/output.txt');
  await writeSideFile(path, 'first');
  await writeSideFile(path, 'second');
  expect(await readFile(path, 'utf8')).toBe('second');
});
