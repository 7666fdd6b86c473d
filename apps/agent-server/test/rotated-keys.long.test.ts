import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { ConversationState, projections, type Cipher } from '@conv/core';
import { fernetCipher } from '@conv/secrets';
import { loginRecords, SettingsStore } from '@conv/server/records';
import { openRegistry, openStore } from '@conv/stores';
import { inCi } from '@conv/testing-harness';
import { PostgresServer } from '@conv/testing-postgres-server';
import { createS3Server, type S3Server } from '@conv/testing-s3-server';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import { keptSecretKeys, secretKeyFile } from '../src/secret-key.ts';
import { newFolder } from './new-folder.ts';
import { ServerProcess } from './server-process.ts';

const program = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const OLD = 'the-secret-key-before-5a1f';
const NEW = 'the-secret-key-behind-8c2d';
const TOKEN = 'token-value-0123456789';
const AWS = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test1234' };
/** The key of a login at an MCP server. */
const LOGIN = 'A'.repeat(43);
const CONVERSATIONS = 12;
/** Settings and logins that hold a secret. */
const OTHERS = 3;

let postgres: PostgresServer;
let s3: S3Server;

beforeAll(async () => {
  [postgres, s3] = await Promise.all([PostgresServer.start(), createS3Server()]);
  s3.createBucket('conversations');
  for (const [name, value] of Object.entries(AWS)) vi.stubEnv(name, value);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all([postgres.stop(), s3.close()]);
});

interface Place {
  readonly cwd: string;
  readonly store: string;
}

function placeOf(kind: string): Place {
  const cwd = newFolder();
  const name = `n${randomUUID().replaceAll('-', '')}`;
  const stores: Record<string, string> = {
    PostgreSQL: `${postgres.url()}?schema=${name}`,
    S3: `s3:conversations/${name}?region=us-east-1&endpoint=${s3.url}`,
    SQLite: `sqlite:${join(cwd, 'conversations.db')}`,
    files: `fs:${join(cwd, 'workspace/conversations')}`,
  };
  return { cwd, store: stores[kind] ?? '' };
}

/** Stores conversations, settings, a secret and a profile that are encrypted with the old key. */
async function fill({ cwd, store: address }: Place): Promise<void> {
  const cipher = fernetCipher(OLD);
  const opened = await openStore(address);
  const { store } = opened;
  for (let at = 0; at < CONVERSATIONS; at++) {
    const id = randomUUID();
    const state = await ConversationState.open(await store.open(id, { owner: 'test' }), {
      id,
      secretRegistry: { TOKEN: { kind: 'StaticSecret', value: cipher.encrypt(TOKEN) } },
    });
    await state.close();
  }
  await opened.close();
  await withSettings({ cwd, store: address }, cipher, async (settings, logins) => {
    await logins.replace(LOGIN, { token: TOKEN }, null);
    await settings.secrets.set('TOKEN', TOKEN, null);
    await settings.models.save('mine', { model: 'x', api_key: cipher.encrypt(TOKEN) });
  });
}

async function withSettings(
  { cwd, store }: Place,
  cipher: Cipher,
  work: (settings: SettingsStore, logins: ReturnType<typeof loginRecords>) => Promise<void>,
): Promise<void> {
  const folder = join(cwd, 'workspace/.openhands');
  const opened = await openRegistry(store, folder);
  const settings = new SettingsStore(store.startsWith('fs:') ? folder : opened.registry, cipher);
  await work(settings, loginRecords(opened.registry, cipher));
  await opened.close();
}

/** Resolves with the plain text of each secret, `undefined` for a secret that the cipher cannot read. */
async function plains(place: Place, cipher: Cipher): Promise<readonly (string | undefined)[]> {
  const opened = await openStore(place.store);
  const { store } = opened;
  const found: (string | undefined)[] = [];
  for (const { id } of (await store.list({ limit: 100 })).items) {
    const reader = await store.read(id);
    if (!reader) continue;
    const { fields } = await projections.readState(reader);
    found.push(cipher.decrypt(String((fields.secretRegistry['TOKEN'] as { value: string }).value)));
    await reader.close();
  }
  await opened.close();
  await withSettings(place, cipher, async (settings, logins) => {
    found.push((await logins.get(LOGIN))?.value['token'] as string | undefined);
    found.push(await settings.secrets.value('TOKEN').catch(() => undefined));
    const { api_key: key } = (await settings.models.get('mine')) as { readonly api_key: string };
    found.push(cipher.decrypt(key));
  });
  return found;
}

function rotate({ cwd, store }: Place, keys: Readonly<Record<string, string>>) {
  return execa(process.execPath, [program, '--store', store, 'keys', 'rotate'], {
    cwd,
    env: { ...AWS, ...keys },
    reject: false,
    stdin: 'ignore',
  });
}

/** Rotates the keys, and kills the process when it has told of `count` conversations. */
async function killed(place: Place, count: number): Promise<void> {
  const child = rotate(place, { OH_SECRET_KEY: NEW, CONV_OLD_SECRET_KEYS: OLD });
  let told = 0;
  if (count === 0) child.kill('SIGKILL');
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith('Encrypted') && ++told === count) child.kill('SIGKILL');
  await child;
  expect(told).toBeGreaterThanOrEqual(count);
}

const kinds = inCi(['files', 'SQLite', 'PostgreSQL', 'S3'], 3);

test.each(kinds)(
  'P9: a rotation of the secret key in %s that is killed loses no secret, and the next one finishes it',
  async (kind) => {
    const place = placeOf(kind);
    await fill(place);
    const all = Array.from({ length: CONVERSATIONS + OTHERS }, () => TOKEN);
    for (const count of [0, 1, 4]) {
      await killed(place, count);
      expect(await plains(place, fernetCipher(NEW, [OLD]))).toEqual(all);
    }
    const last = await rotate(place, { OH_SECRET_KEY: NEW, CONV_OLD_SECRET_KEYS: OLD });
    expect([last.exitCode, last.stderr]).toEqual([0, '']);
    expect(last.stdout).toContain('The earlier keys are needed no more.');
    expect(await plains(place, fernetCipher(NEW))).toEqual(all);
    const again = await rotate(place, { OH_SECRET_KEY: NEW, CONV_OLD_SECRET_KEYS: OLD });
    expect(again.stdout).toContain(`0 of ${CONVERSATIONS} conversations had a secret of an earlier key.`);
  },
);

test('a conversation that another process has is named, and the earlier key stays needed', async () => {
  const place = placeOf('files');
  await fill(place);
  const opened = await openStore(place.store);
  const { store } = opened;
  const [first] = (await store.list({ limit: 1 })).items;
  const id = first?.id ?? '';
  const journal = await store.open(id, { create: 'never', owner: 'another server' });
  const rotated = await rotate(place, { OH_SECRET_KEY: NEW, CONV_OLD_SECRET_KEYS: OLD });
  expect(rotated.exitCode).toBe(1);
  expect(rotated.stderr).toContain(id);
  expect(rotated.stdout).toContain('1 could not be encrypted anew. Keep the earlier keys');
  await journal.close();
  await opened.close();
});

test('a rotation without an earlier key is refused with the words that mend it', async () => {
  const place = placeOf('files');
  const given = await rotate(place, { OH_SECRET_KEY: NEW });
  expect([given.exitCode, given.stderr]).toEqual([2, expect.stringContaining('CONV_OLD_SECRET_KEYS')]);
  const none = await rotate(place, {});
  expect([none.exitCode, none.stderr]).toEqual([2, expect.stringContaining('secret.key')]);
});

test('P9: a secret that no given key opens is left, and the earlier keys stay needed', async () => {
  const place = placeOf('files');
  await fill(place);
  const rotated = await rotate(place, { OH_SECRET_KEY: NEW, CONV_OLD_SECRET_KEYS: 'another-earlier-key-31c7' });
  expect(rotated.exitCode).toBe(1);
  expect(rotated.stdout).toContain(`${CONVERSATIONS + OTHERS} could not be encrypted anew. Keep the earlier keys`);
  expect(rotated.stdout).not.toContain('needed no more');
});

test("P9: the server's own key also takes over what earlier keys of the settings encrypted", async () => {
  const place = placeOf('files');
  await fill(place);
  const folder = join(place.cwd, 'workspace/.openhands');
  await keptSecretKeys(folder);
  const rotated = await rotate(place, { CONV_OLD_SECRET_KEYS: OLD });
  expect([rotated.exitCode, rotated.stderr]).toEqual([0, '']);
  expect(rotated.stdout).toMatch(/^Stop servers of this store first/);
  expect(rotated.stdout).toContain(`out of ${secretKeyFile(folder)} and the settings.`);
  const { secretKey } = await keptSecretKeys(folder);
  expect(await plains(place, fernetCipher(secretKey))).toEqual(
    Array.from({ length: CONVERSATIONS + OTHERS }, () => TOKEN),
  );
});

test("a newer key goes in front of the server's own key, and the server reads with both", async () => {
  const place = placeOf('files');
  const secret = { name: 'DEPLOY', value: TOKEN };
  const first = await ServerProcess.start({ cwd: place.cwd, args: ['--store', place.store] });
  await first.call('PUT', '/api/settings/secrets', secret);
  await first.stop();
  const file = join(place.cwd, 'workspace/.openhands/secret.key');
  const before = readFileSync(file, 'utf8');
  expect((await rotate(place, {})).exitCode).toBe(0);
  const [newest = '', ...older] = readFileSync(file, 'utf8').trim().split('\n');
  expect(older).toEqual([before.trim()]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await rotate(place, {})).exitCode).toBe(0);
  expect(readFileSync(file, 'utf8').trim().split('\n')).toEqual([newest, ...older]);
  const server = await ServerProcess.start({ cwd: place.cwd, args: ['--store', place.store] });
  expect((await server.call('GET', '/api/settings/secrets/DEPLOY')).body).toBe(TOKEN);
  await server.stop();
});
