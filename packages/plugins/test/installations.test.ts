import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { Installations, type InstallationsOptions, type LoadedFolder } from '../src/index.ts';
import { codeOf, committed, filesIn, folder, git, repository } from './places.ts';

/** Loads a folder with a file `name`, which holds the name, a version and a description. */
async function load(directory: string): Promise<LoadedFolder> {
  const [name = '', version = '', description = ''] = (await readFile(join(directory, 'name'), 'utf8')).split('\n');
  return { name, version, description };
}

function installations(place = join(folder(), 'installed'), more: Partial<InstallationsOptions> = {}): Installations {
  return new Installations({ folder: place, load, ...more });
}

const one = (text = 'text'): string => filesIn(folder(), { name: 'one\n1.2\nDoes it.', text });

describe('an installation', () => {
  test("an installation is a folder with its own name, and an entry of the list in OpenHands' format", async () => {
    const installed = installations();
    const source = one();
    const entry = await installed.install({ source });
    expect(entry).toMatchObject({ name: 'one', version: '1.2', description: 'Does it.', enabled: true, source });
    expect(entry).toMatchObject({ resolved_ref: null, requested_ref: null, repo_path: null });
    expect(entry.install_path).toBe(join(installed.folder, 'one'));
    expect(readdirSync(installed.folder).toSorted()).toEqual(['.installed.json', 'one']);
    expect(readFileSync(join(installed.folder, 'one/text'), 'utf8')).toBe('text');
    const file = join(installed.folder, '.installed.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ extensions: { one: entry } });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await installed.list()).toEqual([entry]);
    expect(await installed.get('one')).toEqual(entry);
    expect(await installed.get('two')).toBeUndefined();
  });

  test('an installation of a name that is taken needs force, and stays disabled then', async () => {
    const installed = installations();
    await installed.install({ source: one('first') });
    expect(await codeOf(installed.install({ source: one('second') }))).toBe('EXISTS');
    expect(readFileSync(join(installed.folder, 'one/text'), 'utf8')).toBe('first');
    expect(await installed.setEnabled('one', false)).toBe(true);
    const again = await installed.install({ source: one('second') }, { force: true });
    expect([again.enabled, readFileSync(join(installed.folder, 'one/text'), 'utf8')]).toEqual([false, 'second']);
    expect(readdirSync(installed.folder).toSorted()).toEqual(['.installed.json', 'one']);
  });

  test.each(['../evil', 'a/b', '.hidden', 'Upper', 'a--b', '-a', 'a-', '', 'x'.repeat(65)])(
    'an installation under the name %j is refused, and changes nothing',
    async (name) => {
      const installed = installations();
      expect(await codeOf(installed.install({ source: filesIn(folder(), { name }) }))).toBe('INVALID');
      expect(readdirSync(installed.folder)).toEqual([]);
    },
  );

  test('an installation of a folder without a plugin is refused, and leaves the installed one', async () => {
    const installed = installations();
    await installed.install({ source: one() });
    expect(await codeOf(installed.install({ source: filesIn(folder(), { other: 'x' }) }, { force: true }))).toBe(
      'INVALID',
    );
    expect((await installed.list()).map(({ name }) => name)).toEqual(['one']);
  });

  test('an installation runs beside others without losing one of them', async () => {
    const installed = installations();
    const names = Array.from({ length: 8 }, (_, index) => `skill-${index}`);
    await Promise.all(names.map((name) => installed.install({ source: filesIn(folder(), { name }) })));
    expect((await installed.list()).map(({ name }) => name)).toEqual(names);
  });
});

test('an installed repository is fetched again from where it came from, at the newest commit of its ref', async () => {
  const path = repository({ 'tools/name': 'one\n1', 'tools/text': 'old' });
  git(path, 'branch', 'stable');
  const installed = installations();
  const source = `file://${path}`;
  const [main, stable] = [installations(), installed];
  await main.install({ source, path: 'tools' });
  const first = await stable.install({ source, path: 'tools', ref: 'stable' });
  expect(first).toMatchObject({
    source,
    repo_path: 'tools',
    requested_ref: 'stable',
    resolved_ref: git(path, 'rev-parse', 'HEAD'),
  });
  committed(path, { 'tools/text': 'new' });
  expect(await main.update('one')).toMatchObject({ resolved_ref: git(path, 'rev-parse', 'HEAD') });
  expect(readFileSync(join(main.folder, 'one/text'), 'utf8')).toBe('new');
  expect(await stable.update('one')).toMatchObject({ resolved_ref: first.resolved_ref });
  expect(await main.update('two')).toBeUndefined();
});

test('a renamed plugin is not fetched again, and takes the place of no other one', async () => {
  const installed = installations();
  const source = one();
  await installed.install({ source });
  await installed.install({ source: filesIn(folder(), { name: 'two', text: 'second' }) });
  filesIn(source, { name: 'two', text: 'first' });
  expect(await codeOf(installed.update('one'))).toBe('INVALID');
  expect(readFileSync(join(installed.folder, 'two/text'), 'utf8')).toBe('second');
  expect((await installed.list()).map(({ name }) => name)).toEqual(['one', 'two']);
});

describe('the list', () => {
  test('the list follows folders that were put there and removed by hand', async () => {
    const installed = installations();
    filesIn(installed.folder, {
      'two/name': 'two\n3',
      'other/name': 'another',
      '.hidden/name': '.hidden',
      'none/x': '',
    });
    expect(await installed.list()).toMatchObject([{ name: 'two', version: '3', source: 'local', enabled: true }]);
    rmSync(join(installed.folder, 'two'), { recursive: true });
    expect(await installed.list()).toEqual([]);
    expect(JSON.parse(readFileSync(join(installed.folder, '.installed.json'), 'utf8'))).toEqual({ extensions: {} });
  });

  test('the list of an older OpenHands is read, and unknown members stay', async () => {
    const installed = installations();
    const entry = { name: 'two', source: 'github:a/b', installed_at: 'then', install_path: '/elsewhere', later: [1] };
    filesIn(installed.folder, {
      'two/name': 'two',
      '.installed.json': JSON.stringify({ plugins: { two: entry, gone: { ...entry, name: 'gone' }, '../x': entry } }),
    });
    expect(await installed.list()).toMatchObject([{ ...entry, enabled: true, version: '' }]);
    await installed.setEnabled('two', false);
    const { extensions } = JSON.parse(readFileSync(join(installed.folder, '.installed.json'), 'utf8'));
    expect(extensions).toMatchObject({ two: { ...entry, enabled: false } });
    expect(Object.keys(extensions)).toEqual(['two']);
  });

  test('a damaged list is not taken for an empty one', async () => {
    const installed = installations();
    filesIn(installed.folder, { 'two/name': 'two', '.installed.json': '{"extensions": {"two"' });
    const before = readFileSync(join(installed.folder, '.installed.json'), 'utf8');
    const tries = [
      () => installed.list(),
      () => installed.get('two'),
      () => installed.install({ source: one() }),
      () => installed.setEnabled('two', false),
      () => installed.remove('two'),
    ];
    for (const attempt of tries) expect(await codeOf(attempt())).toBe('DAMAGED');
    expect(readFileSync(join(installed.folder, '.installed.json'), 'utf8')).toBe(before);
    writeFileSync(join(installed.folder, '.installed.json'), '[]');
    expect(await codeOf(installed.list())).toBe('DAMAGED');
  });

  test('the list of a folder that is not there is empty, and nothing is made', async () => {
    const installed = installations();
    expect(await installed.list()).toEqual([]);
    expect(await installed.setEnabled('one', true)).toBe(false);
    expect(await installed.remove('one')).toBe(false);
    expect(existsSync(installed.folder)).toBe(false);
  });
});

test('a removed plugin is gone with its folder, and nothing else is', async () => {
  const place = folder();
  const installed = installations(join(place, 'installed'));
  await installed.install({ source: one() });
  mkdirSync(join(place, 'outside'));
  for (const name of ['../outside', '..', '.', '', 'two', '.installed.json'])
    expect(await installed.remove(name)).toBe(false);
  expect(existsSync(join(place, 'outside'))).toBe(true);
  expect(await installed.remove('one')).toBe(true);
  expect(readdirSync(installed.folder)).toEqual(['.installed.json']);
  expect(await installed.list()).toEqual([]);
});

test('wrong options are named', () => {
  expect(() => new Installations({ folder: '/x', load, force: true } as never)).toThrow(/force/);
});
