import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';

import { expect, test } from 'vitest';

import { Installations } from '../src/index.ts';
import { filesIn, folder } from './places.ts';

const PROGRAM = join(import.meta.dirname, 'stopped-process.ts');

/** Installs `one`, and replaces it in a process that ends between the two moves. */
async function stoppedBetween(): Promise<Installations> {
  const load = async (directory: string): Promise<{ readonly name: string }> => ({ name: basename(directory) });
  const installed = new Installations({ folder: join(folder(), 'installed'), load });
  await installed.install({ source: filesIn(join(folder(), 'one'), { text: 'old' }) });
  await installed.setEnabled('one', false);
  const newer = filesIn(join(folder(), 'one'), { text: 'new' });
  expect(spawnSync(process.execPath, [PROGRAM, installed.folder, newer]).status).toBe(9);
  expect(readdirSync(installed.folder)).not.toContain('one');
  return installed;
}

test('a plugin whose replacement stopped between its two moves comes back, switched off as it was', async () => {
  const installed = await stoppedBetween();
  expect(await installed.get('one')).toMatchObject({ name: 'one', enabled: false });
  expect(await installed.list()).toHaveLength(1);
  expect(readFileSync(join(installed.folder, 'one/text'), 'utf8')).toBe('old');
  expect(readdirSync(installed.folder).filter((name) => name.startsWith('.replaced'))).toEqual([]);
});

test('a plugin whose replacement stopped is updated from where it came from', async () => {
  const installed = await stoppedBetween();
  expect(await installed.update('one')).toMatchObject({ name: 'one', enabled: false });
  expect(readFileSync(join(installed.folder, 'one/text'), 'utf8')).toBe('old');
});

test('a folder that was set aside and replaced is removed', async () => {
  const installed = await stoppedBetween();
  const [aside = ''] = readdirSync(installed.folder).filter((name) => name.startsWith('.replaced'));
  renameSync(join(installed.folder, aside), join(installed.folder, 'one'));
  filesIn(join(installed.folder, aside), { text: 'older' });
  await installed.list();
  expect(readFileSync(join(installed.folder, 'one/text'), 'utf8')).toBe('old');
  expect(readdirSync(installed.folder)).not.toContain(aside);
});

test('a list that is read while a plugin is replaced loses neither of the two', async () => {
  const load = async (directory: string): Promise<{ readonly name: string }> => ({ name: basename(directory) });
  const place = join(folder(), 'installed');
  mkdirSync(place);
  const [one, other] = [new Installations({ folder: place, load }), new Installations({ folder: place, load })];
  const source = filesIn(join(folder(), 'one'), { text: 'x' });
  await one.install({ source });
  for (let count = 0; count < 5; count++) {
    const replaced = one.install({ source }, { force: true });
    await Promise.all([other.list(), other.list(), replaced]);
  }
  expect(readdirSync(place).filter((name) => name.startsWith('one') || name.startsWith('.replaced'))).toEqual(['one']);
});
