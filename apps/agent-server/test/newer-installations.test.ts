import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import { Installations } from '@conv/plugins';
import { afterAll, expect, test } from 'vitest';

import { installedExtensions } from '../src/plugins/installed-extensions.ts';
import { newFolder, removeFolders } from './new-folder.ts';

afterAll(removeFolders);

test('newer members of an installed plugin are shown, and stay when the plugin is switched off', async () => {
  const place = newFolder();
  const source = join(place, 'source');
  mkdirSync(source);
  const folder = join(place, 'installed');
  const extensions = installedExtensions(new Installations({ folder, load: async () => ({ name: 'a' }) }));
  await extensions.install({ source, ref: null, repo_path: null }, { force: false });
  const list = join(folder, '.installed.json');
  const read = (): { readonly extensions: { a: JsonObject } } =>
    JSON.parse(readFileSync(list, 'utf8')) as { readonly extensions: { a: JsonObject } };
  let enabled = true;
  for (const member of [null, 7, 'text', [1, { a: null }], { deep: { er: [] } }]) {
    const { extensions: before, ...rest } = read();
    writeFileSync(list, JSON.stringify({ ...rest, extensions: { a: { ...before.a, zz_member_of_tomorrow: member } } }));
    expect(await extensions.get('a')).toMatchObject({ name: 'a', zz_member_of_tomorrow: member });
    enabled = !enabled;
    await extensions.setEnabled('a', enabled);
    expect(read().extensions.a).toMatchObject({ enabled, zz_member_of_tomorrow: member });
    expect(await extensions.list()).toMatchObject([{ zz_member_of_tomorrow: member }]);
  }
});

test('an address in such a member is shown without its password', async () => {
  const place = newFolder();
  mkdirSync(join(place, 'source'));
  const folder = join(place, 'installed');
  const extensions = installedExtensions(new Installations({ folder, load: async () => ({ name: 'a' }) }));
  await extensions.install({ source: join(place, 'source'), ref: null, repo_path: null }, { force: false });
  const list = join(folder, '.installed.json');
  const stored = JSON.parse(readFileSync(list, 'utf8')) as { readonly extensions: { a: JsonObject } };
  Object.assign(stored.extensions.a, { mirror_of_tomorrow: 'https://me:a-password@example.org/a.git' });
  writeFileSync(list, JSON.stringify(stored));
  expect(JSON.stringify(await extensions.list())).not.toContain('a-password');
});
