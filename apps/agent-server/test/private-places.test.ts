import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

import { expect, test } from 'vitest';

import type { Configuration } from '../src/configuration/effective-configuration.ts';
import { checkPrivate, foreignOwners } from '../src/configuration/private-places.ts';
import { readConfiguration } from '../src/configuration/read-configuration.ts';
import { openingsOf } from '../src/start/openings.ts';
import { newFolder } from './new-folder.ts';

const OTHER = 65_534;
const isRoot = process.getuid?.() === 0;

/** The configuration of a server in a folder in which an earlier start left its files. */
async function configurationIn(cwd: string, given: Readonly<Record<string, unknown>> = {}): Promise<Configuration> {
  const conversations = join(cwd, 'workspace/conversations');
  mkdirSync(join(cwd, 'workspace/.openhands'), { recursive: true, mode: 0o700 });
  mkdirSync(conversations, { recursive: true, mode: 0o700 });
  mkdirSync(join(cwd, 'workspace/databases'), { recursive: true, mode: 0o700 });
  for (const path of PLACES.filter((one) => one.includes('.', 'workspace/.openhands/'.length)))
    writeFileSync(join(cwd, path), '', { mode: 0o600, flag: 'a' });
  return readConfiguration({ options: {}, environment: { OH_CONVERSATIONS_PATH: conversations, ...given } });
}

const PLACES = [
  'workspace/.openhands',
  'workspace/.openhands/token.json',
  'workspace/.openhands/secret.key',
  'workspace/.openhands/settings.json',
  'workspace/.openhands/secrets.json',
  'workspace/conversations',
  'workspace/databases',
  'workspace/databases/conversations.db',
  'workspace/databases/conversations.db-wal',
  'workspace/databases/conversations.db-journal',
  'workspace/databases/conversations.db-shm',
];

function storeFor(cwd: string, place: string): Readonly<Record<string, string>> {
  return place.includes('databases')
    ? { CONV_STORE: `sqlite:${join(cwd, 'workspace/databases/conversations.db')}` }
    : {};
}

test.each(PLACES)('a server does not start while every user of the machine can change %s', async (place) => {
  const cwd = newFolder();
  await configurationIn(cwd, storeFor(cwd, place));
  const path = join(cwd, place);
  chmodSync(path, 0o772);
  await expect(configurationIn(cwd, storeFor(cwd, place))).rejects.toThrow(
    `that no other user of this machine can change, found ${path} with mode 0772; run chmod o-w ${path}`,
  );
});

test.runIf(isRoot).each(PLACES)(
  'a server does not start on %s of another user, and root says whose it is',
  async (place) => {
    const cwd = newFolder();
    const configuration = await configurationIn(cwd, storeFor(cwd, place));
    const path = join(cwd, place);
    expect(foreignOwners(configuration)).toEqual([]);
    chownSync(path, OTHER, OTHER);
    expect(() => checkPrivate(configuration, String, 1000)).toThrow(`found ${path} of user ${OTHER}, who can open`);
    checkPrivate(configuration, String, OTHER);
    checkPrivate(configuration, String, 0);
    expect(foreignOwners(configuration)).toEqual([{ path, owner: OTHER }]);
    expect(openingsOf(configuration)).toEqual([`user ${OTHER} owns ${path}, and can open this server with it`]);
  },
);

test.each([
  [{}, []],
  [{ OH_ALLOW_CORS_ORIGINS: '["*"]' }, ['pages of every origin may call with a key']],
  [{ OH_ALLOW_CORS_ORIGIN_REGEX: 'https://.*' }, ['pages of origins that match https://.* may call']],
  [{ CONV_METRICS_OPEN: 'true' }, ['/metrics needs no key']],
  [{ HOST: '0.0.0.0' }, ['other machines can reach 0.0.0.0']],
])('a server says at its start what %j opens', async (given, lines) => {
  const keys = { OH_SESSION_API_KEYS_0: 'a-session-key-of-tests-42' };
  const { HOST, ...rest } = given as Record<string, string>;
  const environment = { ...rest, ...keys, ...(HOST === undefined ? {} : { CONV_HOST: HOST }) };
  const found = openingsOf(await configurationIn(newFolder(), environment));
  expect(found.map((line, at) => line.slice(0, lines[at]?.length))).toEqual(lines);
});
