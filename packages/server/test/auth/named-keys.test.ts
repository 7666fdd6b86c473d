import { MemoryRegistry, type Registry } from '@conv/store-kit/registry';
import { ManualPlatform } from '@conv/testing-harness';
import { expect, onTestFinished, test, vi } from 'vitest';

import { cookieOf, keyDigests } from '../../src/auth/key-digests.ts';
import { addKey, readKeys, revokeKey, type KeyGrant } from '../../src/auth/key-records.ts';
import { NamedKeys, type NamedKeysOptions } from '../../src/auth/named-keys.ts';
import { newConversation, startServer } from '../support/test-server.ts';
import { TestSocket } from '../support/test-socket.ts';

const ANN: KeyGrant = { name: 'ann', scopes: ['read'] };

async function open(registry: Registry, options: NamedKeysOptions = {}): Promise<NamedKeys> {
  const keys = await NamedKeys.open(registry, options);
  onTestFinished(() => keys[Symbol.dispose]());
  return keys;
}

function find(keys: NamedKeys, key: string): unknown {
  return keys.of('key', keyDigests(key).key);
}

test('a key has 256 random bits, and the registry has its digests alone', async () => {
  const registry = new MemoryRegistry();
  const key = await addKey(registry, { ...ANN, limits: { own: true, tags: { team: 'red' } } });
  expect(Buffer.from(key, 'base64url')).toHaveLength(32);
  const { items } = await registry.list('keys');
  expect(JSON.stringify(items)).not.toContain(key);
  const keys = await open(registry);
  expect(find(keys, key)).toEqual({ name: 'ann', scopes: ['read'], limits: { own: true, tags: { team: 'red' } } });
  expect(keys.of('session', keyDigests(key).session)).toMatchObject({ name: 'ann' });
  expect(keys.of('key', keyDigests(cookieOf(key, 'session')).key)).toBeUndefined();
});

test('a key opens a running server after it was added, until it is revoked', async () => {
  const registry = new MemoryRegistry();
  const namedKeys = await open(registry);
  const server = await startServer({ namedKeys });
  const key = await addKey(registry, ANN);
  const count = async (): Promise<number> =>
    (await server.call('GET', '/api/conversations/count', undefined, { 'x-session-api-key': key })).status;
  await expect.poll(count).toBe(200);
  expect(await revokeKey(registry, 'ann')).toBe(true);
  await expect.poll(count).toBe(401);
});

test('the sockets and the cookies of a key end when it is revoked', async () => {
  const registry = new MemoryRegistry();
  const namedKeys = await open(registry);
  const server = await startServer({ namedKeys });
  const key = await addKey(registry, { name: 'ann', scopes: ['read', 'run'] });
  await namedKeys.refresh();
  const headers = { 'x-session-api-key': key };
  const asked = { ...newConversation(server.folder), confirmation_policy: { kind: 'AlwaysConfirm' } };
  const { id } = (await server.call<{ id: string }>('POST', '/api/conversations', asked, headers)).body;
  const opened = await server.call('POST', '/api/auth/session', undefined, headers);
  const cookie = String(opened.headers.get('set-cookie')).split(';')[0] as string;
  expect((await server.call('GET', `/api/conversations/${id}`, undefined, { cookie })).status).toBe(200);
  const socket = new TestSocket(`${server.url.replace('http', 'ws')}/sockets/session/${id}?session_api_key=${key}`);
  onTestFinished(() => socket.terminate());
  await socket.until((frames) => frames.length > 0);
  await revokeKey(registry, 'ann');
  await namedKeys.refresh();
  expect(await socket.closed).toMatchObject({ code: 4001 });
  expect((await server.call('GET', `/api/conversations/${id}`, undefined, { cookie })).status).toBe(401);
});

test('a key is void from the moment at which it expires', async () => {
  const platform = new ManualPlatform(Date.UTC(2030, 0, 1));
  const registry = new MemoryRegistry();
  const key = await addKey(registry, { ...ANN, validFor: 5000 }, platform);
  const keys = await open(registry, { platform });
  platform.pass(4999);
  expect(find(keys, key)).toBeDefined();
  platform.pass(1);
  await keys.refresh();
  expect(find(keys, key)).toBeUndefined();
});

test('a registry that cannot be read keeps no server from starting, and opens nothing', async () => {
  const registry = new MemoryRegistry();
  const key = await addKey(registry, ANN);
  const reported: unknown[] = [];
  const away: Registry = Object.assign(new MemoryRegistry(), { marks: () => Promise.reject(new Error('away')) });
  const keys = await open(away, { report: (error) => reported.push(error) });
  expect([find(keys, key), reported]).toEqual([undefined, [new Error('away')]]);
});

test('keys that cannot be read again are void after ten seconds, and valid when they are read', async () => {
  const platform = new ManualPlatform();
  const held = new MemoryRegistry();
  const key = await addKey(held, ANN);
  let fails = false;
  const registry: Registry = {
    get: (...all) => held.get(...all),
    put: (...all) => held.put(...all),
    delete: (...all) => held.delete(...all),
    list: (...all) => held.list(...all),
    marks: async (kind) => (fails ? Promise.reject(new Error('away')) : held.marks(kind)),
  };
  const reported: unknown[] = [];
  const keys = await open(registry, { platform, interval: 1_000_000, report: (error) => reported.push(error) });
  fails = true;
  platform.pass(10_000);
  await keys.refresh();
  expect([find(keys, key) !== undefined, reported]).toEqual([true, [new Error('away')]]);
  platform.pass(1);
  expect(find(keys, key)).toBeUndefined();
  fails = false;
  await keys.refresh();
  expect(find(keys, key)).toBeDefined();
});

test('a look at the keys reads only the records that have changed', async () => {
  const registry = new MemoryRegistry();
  for (const name of ['ann', 'bob', 'eve']) await addKey(registry, { ...ANN, name });
  const read = vi.spyOn(registry, 'get');
  const keys = await open(registry, { interval: 1_000_000 });
  expect(read).toHaveBeenCalledTimes(3);
  await keys.refresh();
  expect(read).toHaveBeenCalledTimes(3);
  await revokeKey(registry, 'bob');
  read.mockClear();
  await keys.refresh();
  expect(read.mock.calls).toEqual([['keys', 'bob']]);
});

test('a key is void once its record is gone', async () => {
  const registry = new MemoryRegistry();
  const key = await addKey(registry, ANN);
  const keys = await open(registry, { interval: 1_000_000 });
  const held = await registry.get('keys', 'ann');
  await registry.delete('keys', 'ann', { expected: held?.version ?? '' });
  await keys.refresh();
  expect(find(keys, key)).toBeUndefined();
});

test('a name has one key, which can be replaced and revoked', async () => {
  const registry = new MemoryRegistry();
  const first = await addKey(registry, ANN);
  await expect(addKey(registry, ANN)).rejects.toThrow('expected a name without a key, found ann');
  const second = await addKey(registry, { ...ANN, replace: true });
  const keys = await open(registry);
  expect([find(keys, first), find(keys, second)]).toEqual([undefined, { name: 'ann', scopes: ['read'] }]);
  expect(await revokeKey(registry, 'nobody')).toBe(false);
  await revokeKey(registry, 'ann');
  await expect(addKey(registry, ANN)).rejects.toThrow('expected a name without a key');
  const [{ revokedAt } = { revokedAt: null }] = await Array.fromAsync(readKeys(registry));
  expect(revokedAt).not.toBeNull();
});

test.each([
  [{ ...ANN, name: '' }, 'name: expected'],
  [{ ...ANN, name: '../x' }, 'name: expected'],
  [{ ...ANN, scopes: [] }, 'scopes: expected one or more of read, run, approve, admin'],
  [{ ...ANN, scopes: ['write'] as never }, 'scopes: expected one or more of read'],
  [{ ...ANN, limit: { own: true } } as never, 'limits'],
  [{ ...ANN, validFor: '12h' as never }, 'validFor: expected milliseconds above 0, found a string'],
  [{ ...ANN, validFor: Number.NaN }, 'validFor: expected milliseconds above 0, found a number'],
  [{ ...ANN, validFor: -1 }, 'validFor: expected milliseconds above 0, found a number'],
  [{ ...ANN, replace: 'no' as never }, 'replace: expected true or false, found a string'],
])('rights that are none are refused: %j', async (grant, message) => {
  await expect(addKey(new MemoryRegistry(), grant)).rejects.toThrow(message);
});

test.each([{ own_only: 'yes' }, { scopes: ['read', 'everything'] }, { folders: '/srv' }, { a_later_limit: true }])(
  'a key whose record is not understood is void, and the others are not: %j',
  async (odd) => {
    const registry = new MemoryRegistry();
    const [ann, bob] = [await addKey(registry, ANN), await addKey(registry, { ...ANN, name: 'bob' })];
    const held = await registry.get('keys', 'ann');
    const value = { ...(held?.value as object), ...odd };
    await registry.put('keys', 'ann', value, { expected: held?.version ?? null });
    const reported: unknown[] = [];
    const keys = await open(registry, { report: (error) => reported.push(error) });
    expect([find(keys, ann), find(keys, bob)]).toEqual([undefined, { name: 'bob', scopes: ['read'] }]);
    expect(String(reported[0])).toContain('expected the record of a key under keys/ann');
  },
);
