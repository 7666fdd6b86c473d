import { join } from 'node:path';

import { expect, test } from 'vitest';

import { readMarketplace, type Source } from '../src/index.ts';
import { codeOf, filesIn, folder } from './places.ts';

const LIST = {
  name: 'tools',
  owner: { name: 'Team' },
  plugins: [
    { name: 'weather', source: './plugins/weather', description: 'Weather.' },
    { name: 'git-help', source: './skills/git-help' },
    { name: 'far', source: { source: 'github', repo: 'some/far', ref: 'v1', path: 'plugins/far' } },
    { name: 'by-url', source: { source: 'url', url: 'https://example.org/x.git' } },
    { name: 'unknown', source: { source: 'npm', package: 'x' } },
    { name: 'outside', source: './../../outside' },
    { source: './no-name' },
  ],
  skills: [{ name: 'alone', source: './skills/alone' }],
};

test('a marketplace lists plugins and skills, with folders of its own and sources elsewhere', async () => {
  const place = filesIn(folder(), {
    '.plugin/marketplace.json': JSON.stringify(LIST),
    'plugins/weather/x': '',
    'skills/alone/SKILL.md': '',
  });
  const { name, plugins, skills } = await readMarketplace(place);
  expect([name, plugins.map((entry) => entry.name)]).toEqual(['tools', ['weather', 'git-help', 'far', 'by-url']]);
  expect(plugins).toMatchObject([
    {
      description: 'Weather.',
      source: join(place, 'plugins/weather'),
      directory: join(place, 'plugins/weather'),
      isPlugin: true,
    },
    { description: null, source: join(place, 'skills/git-help'), isPlugin: false },
    { source: 'github:some/far', ref: 'v1', path: 'plugins/far', isPlugin: true },
    { source: 'https://example.org/x.git', ref: null, path: null, isPlugin: false },
  ]);
  expect(plugins[1]).not.toHaveProperty('directory');
  expect(skills).toMatchObject([{ name: 'alone', directory: join(place, 'skills/alone') }]);
});

test('the list is looked for in its usual places, and then in a place that is named', async () => {
  const list = (name: string): string => JSON.stringify({ name });
  const place = filesIn(folder(), { 'marketplaces/default.json': list('third') });
  expect(await codeOf(readMarketplace(place))).toBe('INVALID');
  const found = async (): Promise<string> => (await readMarketplace(place, 'marketplaces/default.json')).name;
  expect(await found()).toBe('third');
  filesIn(place, { '.claude-plugin/marketplace.json': list('second') });
  expect(await found()).toBe('second');
  filesIn(place, { '.plugin/marketplace.json': list('first') });
  expect(await found()).toBe('first');
});

test('a list that is no marketplace is refused', async () => {
  for (const text of ['{', '[]', '{"plugins":[]}', '{"name":"a","plugins":{}}'])
    expect(await codeOf(readMarketplace(filesIn(folder(), { '.plugin/marketplace.json': text })))).toBe('INVALID');
});

test('entries of a copied marketplace come from where it was copied from, with its ref', async () => {
  const place = filesIn(folder(), { '.plugin/marketplace.json': JSON.stringify(LIST), 'plugins/weather/x': '' });
  const first = async (from: Source): Promise<unknown> => (await readMarketplace(place, undefined, from)).plugins[0];
  const directory = join(place, 'plugins/weather');
  const url = 'https://github.com/some/market.git';
  expect(await first({ source: 'github:some/market', ref: 'v1' })).toMatchObject({
    source: url,
    ref: 'v1',
    path: 'plugins/weather',
    directory,
  });
  const inFolder = { source: url, ref: 'main', path: 'lists/plugins/weather' };
  expect(await first({ source: 'https://github.com/some/market/tree/main/lists' })).toMatchObject(inFolder);
  expect(await first({ source: '/srv/market' })).toMatchObject({ source: '/srv/market/plugins/weather', path: null });
  expect(await first({ source: 'https://me:secret@example.org/m.git' })).toMatchObject({
    source: directory,
    path: null,
  });
  const [, , far] = (await readMarketplace(place, undefined, { source: '/srv/market' })).plugins;
  expect(far).toMatchObject({ source: 'github:some/far', ref: 'v1', path: 'plugins/far' });
});
