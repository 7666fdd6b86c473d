import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { historyFileFor } from '../../src/chat/history/history-file.ts';
import { InputHistory } from '../../src/chat/history/input-history.ts';
import { looksSecret } from '../../src/chat/history/secret-forms.ts';
import { newFolder } from '../new-folder.ts';

test.each([
  'sk-abcdefghijklmnopqrstuvwx',
  'use ghp_abcdefghijklmnopqrstuvwxyz012345',
  'AKIAIOSFODNN7EXAMPLE is the id',
  'export TOKEN=hunter2hunter2',
  'the password is swordfish',
  'curl https://ann:secret@example.org',
  '-----BEGIN OPENSSH PRIVATE KEY-----',
  'aB3dE5gH7jK9mN1pQ3rS5tU7',
])('%s looks like a key and is not kept', async (text) => {
  expect(looksSecret(text)).toBe(true);
  const file = join(newFolder(), 'history');
  const history = await InputHistory.open(file);
  await history.add('before');
  await history.add(text);
  expect(readFileSync(file, 'utf8')).toBe('"before"\n');
});

test.each(['fix src/components/NavigationDrawerHeaderItem.test.ts', 'why does the tokenizer fail?', 'resume 1a2b3c4d'])(
  '%s is no key',
  (text) => {
    expect(looksSecret(text)).toBe(false);
  },
);

test('texts of several lines come back in order, repeats are kept once, and the file is private', async () => {
  const file = join(newFolder(), 'folder', 'history');
  const history = await InputHistory.open(file);
  await Promise.all(['one\ntwo', 'three', 'three'].map((text) => history.add(text)));
  expect((await InputHistory.open(file)).texts).toEqual(['one\ntwo', 'three']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('lines that are no texts are left out, and a long file is cut to its newest texts', async () => {
  const file = join(newFolder(), 'history');
  writeFileSync(file, `${Array.from({ length: 1200 }, (_, at) => JSON.stringify(`t${at}`)).join('\n')}\n{"a":1}\n"cut`);
  const { texts } = await InputHistory.open(file);
  expect([texts.length, texts[0], texts.at(-1)]).toEqual([500, 't700', 't1199']);
  expect((await InputHistory.open(file)).texts).toEqual(texts);
});

test('each address has a file of its own, whose name tells nothing of the address', () => {
  const environment = { XDG_STATE_HOME: '/state' };
  const [one, other] = ['postgres://ann:pw@host/a', 'fs:/b'].map((address) => historyFileFor(address, environment));
  expect(one).toMatch(/^\/state\/conv\/history\/[0-9a-f]{16}\.jsonl$/);
  expect(one).not.toBe(other);
});
