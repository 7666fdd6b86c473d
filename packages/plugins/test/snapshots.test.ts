import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { Snapshots } from '../src/index.ts';
import { codeOf, filesIn, folder, git, repository } from './places.ts';

test('a snapshot stays as it was, and equal contents have one folder', async () => {
  const snapshots = new Snapshots({ folder: join(folder(), 'kept') });
  const source = filesIn(join(folder(), 'one'), { text: 'first' });
  const first = await snapshots.keep({ source });
  expect(first.directory.endsWith('/one')).toBe(true);
  expect(await snapshots.keep({ source })).toEqual(first);
  writeFileSync(join(source, 'text'), 'second');
  const second = await snapshots.keep({ source });
  expect(second.directory).not.toBe(first.directory);
  expect(readFileSync(join(first.directory, 'text'), 'utf8')).toBe('first');
  expect(readFileSync(join(second.directory, 'text'), 'utf8')).toBe('second');
  expect(readdirSync(snapshots.folder)).toHaveLength(2);
});

test('snapshots that are kept at the same time are one', async () => {
  const snapshots = new Snapshots({ folder: folder() });
  const source = filesIn(folder(), { text: 'x' });
  const kept = await Promise.all(Array.from({ length: 6 }, () => snapshots.keep({ source })));
  expect(new Set(kept.map(({ directory }) => directory)).size).toBe(1);
  expect(existsSync(join(kept[0]?.directory ?? '', 'text'))).toBe(true);
  expect(readdirSync(snapshots.folder)).toHaveLength(1);
});

test('a snapshot of a repository names its commit, and a refused source leaves nothing', async () => {
  const snapshots = new Snapshots({ folder: folder() });
  const path = repository({ text: 'x' }, 'tools');
  const kept = await snapshots.keep({ source: `file://${path}` });
  expect([kept.commit, kept.directory.endsWith('/tools')]).toEqual([git(path, 'rev-parse', 'HEAD'), true]);
  expect(await codeOf(snapshots.keep({ source: join(folder(), 'none') }))).toBe('FETCH_FAILED');
  const mayRead = (): Promise<string> => Promise.reject(new Error('outside'));
  expect(await codeOf(snapshots.keep({ source: path }, mayRead))).toBe('FETCH_FAILED');
  expect(readdirSync(snapshots.folder)).toHaveLength(1);
});

test('a path lies in the snapshot that is around it, and the folder of all snapshots in none', async () => {
  const snapshots = new Snapshots({ folder: folder() });
  const { directory } = await snapshots.keep({ source: filesIn(join(folder(), 'one'), { text: 'x' }) });
  expect([directory, join(directory, 'text')].map((path) => snapshots.around(path))).toEqual([directory, directory]);
  const digest = join(directory, '..');
  for (const path of ['/', snapshots.folder, join(snapshots.folder, 'marketplace.json'), digest, `${digest}0/one`])
    expect(snapshots.around(path)).toBeUndefined();
});
