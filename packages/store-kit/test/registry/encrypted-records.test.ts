import { randomBytes } from 'node:crypto';

import type { Cipher, Json } from '@conv/core';
import { expect, test } from 'vitest';

import { encryptedRecords, isRegistryError, MemoryRegistry, RegistryError } from '../../src/registry/index.ts';

const NAME = 'the name of a record';
const VALUE = { token: 'value-of-the-token' };

/** A cipher whose tokens say their key and differ each time. */
function cipherOf(newest: string, ...older: readonly string[]): Cipher {
  const encrypt = (plain: string): string =>
    [newest, randomBytes(8).toString('hex'), Buffer.from(plain).toString('base64url')].join('.');
  const opened = (token: string, keys: readonly string[]): string | undefined => {
    const [key = '', , plain = ''] = token.split('.');
    return keys.includes(key) ? Buffer.from(plain, 'base64url').toString() : undefined;
  };
  const renew = (token: string): string => {
    const plain = opened(token, older);
    return plain === undefined ? token : encrypt(plain);
  };
  return { encrypt, decrypt: (token) => opened(token, [newest, ...older]), renew };
}

/** A registry that makes a change, and whose answer is lost. */
class LossyRegistry extends MemoryRegistry {
  lost = 0;

  override async put(...given: Parameters<MemoryRegistry['put']>): Promise<string> {
    const version = await super.put(...given);
    this.#lose();
    return version;
  }

  override async delete(...given: Parameters<MemoryRegistry['delete']>): Promise<void> {
    await super.delete(...given);
    this.#lose();
  }

  #lose(): void {
    if (this.lost === 0) return;
    this.lost -= 1;
    throw new RegistryError('UNAVAILABLE', 'kept/x: the answer was lost');
  }
}

const stored = async (registry: MemoryRegistry, name = NAME): Promise<Json | undefined> =>
  (await registry.get('kept', name))?.value;

test('P9: a value is stored encrypted, read back, replaced and removed by its version', async () => {
  const registry = new MemoryRegistry();
  const records = encryptedRecords(registry, 'kept', cipherOf('k'));
  expect(await records.get(NAME)).toBe(undefined);
  expect(await records.replace(NAME, VALUE, null)).toBe(true);
  expect(JSON.stringify(await stored(registry))).not.toContain(Buffer.from(VALUE.token).toString('utf8'));
  const first = await records.get(NAME);
  expect(await records.names()).toEqual([NAME]);
  expect(first?.value).toEqual(VALUE);
  expect(await records.replace(NAME, { other: 1 }, first?.version ?? null)).toBe(true);
  expect((await records.get(NAME))?.value).toEqual({ other: 1 });
  expect(await records.replace(NAME, undefined, (await records.get(NAME))?.version ?? null)).toBe(true);
  expect(await records.get(NAME)).toBe(undefined);
});

test('a change that expects another version changes nothing', async () => {
  const records = encryptedRecords(new MemoryRegistry(), 'kept', cipherOf('k'));
  await records.replace(NAME, VALUE, null);
  const { version = '' } = (await records.get(NAME)) ?? {};
  expect(await records.replace(NAME, {}, null)).toBe(false);
  expect(await records.replace(NAME, {}, `${version}0`)).toBe(false);
  expect(await records.replace(NAME, undefined, null)).toBe(false);
  expect(await records.replace(NAME, undefined, `${version}0`)).toBe(false);
  expect((await records.get(NAME))?.value).toEqual(VALUE);
  expect(await records.replace('none', undefined, null)).toBe(true);
  expect(await records.replace('none', undefined, version)).toBe(true);
});

test('P9: a record that no key opens is empty, is told, and is replaced by the next change', async () => {
  const registry = new MemoryRegistry();
  await encryptedRecords(registry, 'kept', cipherOf('lost')).replace(NAME, VALUE, null);
  const told: string[] = [];
  const records = encryptedRecords(registry, 'kept', cipherOf('k'), (name) => void told.push(name));
  const found = await records.get(NAME);
  expect([found?.value, told]).toEqual([{}, [NAME]]);
  expect(await records.replace(NAME, VALUE, found?.version ?? null)).toBe(true);
  expect((await records.get(NAME))?.value).toEqual(VALUE);
});

test.each([{ encrypted: 'k.x.bm8ganNvbg' }, { encrypted: 7 }, 'a text'])(
  'a record %j that is none of these is empty',
  async (value) => {
    const registry = new MemoryRegistry();
    await registry.put('kept', NAME, value, { expected: null });
    expect((await encryptedRecords(registry, 'kept', cipherOf('k')).get(NAME))?.value).toEqual({});
  },
);

test('P9: a ciphertext that was put in the place of another record is not read there', async () => {
  const registry = new MemoryRegistry();
  const records = encryptedRecords(registry, 'kept', cipherOf('k'));
  await records.replace('of ann', VALUE, null);
  await registry.put('kept', 'of bob', (await stored(registry, 'of ann')) ?? null, { expected: null });
  expect((await records.get('of bob'))?.value).toEqual({});
});

test('a change whose answer is lost counts as made if it was', async () => {
  const registry = new LossyRegistry();
  const records = encryptedRecords(registry, 'kept', cipherOf('k'));
  registry.lost = 1;
  expect(await records.replace(NAME, VALUE, null)).toBe(true);
  registry.lost = 1;
  expect(await records.replace(NAME, undefined, (await records.get(NAME))?.version ?? null)).toBe(true);
  expect(await records.get(NAME)).toBe(undefined);
});

test('a change that was not made rejects with the error of the registry', async () => {
  const registry = new MemoryRegistry();
  const refused = new RegistryError('UNAVAILABLE', 'kept/x: no answer');
  registry.put = () => Promise.reject(refused);
  await expect(encryptedRecords(registry, 'kept', cipherOf('k')).replace(NAME, VALUE, null)).rejects.toBe(refused);
  const long = { text: 'x'.repeat(300_000) };
  const whole = encryptedRecords(new MemoryRegistry(), 'kept', cipherOf('k'));
  await expect(whole.replace(NAME, long, null)).rejects.toSatisfy((error) => isRegistryError(error, 'TOO_LARGE'));
});

test('P9: records of an older key are encrypted with the newest, once, and others keep their reason', async () => {
  const registry = new MemoryRegistry();
  await encryptedRecords(registry, 'kept', cipherOf('old')).replace('one', VALUE, null);
  await encryptedRecords(registry, 'kept', cipherOf('lost')).replace('two', VALUE, null);
  const records = encryptedRecords(registry, 'kept', cipherOf('new', 'old'));
  for (let times = 0; times < 2; times++) {
    const left: unknown[] = [];
    await records.renew((error) => void left.push(error));
    expect(left.map(String)).toEqual([expect.stringContaining('kept/two: expected a record of the given keys')]);
  }
  expect((await encryptedRecords(registry, 'kept', cipherOf('new')).get('one'))?.value).toEqual(VALUE);
  const { version } = (await registry.get('kept', 'one')) ?? {};
  await records.renew(() => undefined);
  expect((await registry.get('kept', 'one'))?.version).toBe(version);
});

test('P9: a record that changes while it is encrypted anew keeps the change', async () => {
  const registry = new MemoryRegistry();
  const before = encryptedRecords(registry, 'kept', cipherOf('old'));
  await before.replace(NAME, VALUE, null);
  const put: MemoryRegistry['put'] = (...given) => MemoryRegistry.prototype.put.apply(registry, given);
  registry.put = async (...given) => {
    registry.put = put;
    await before.replace(NAME, { changed: true }, (await before.get(NAME))?.version ?? null);
    return put(...given);
  };
  await encryptedRecords(registry, 'kept', cipherOf('new', 'old')).renew((error) => expect(error).toBe(undefined));
  expect((await encryptedRecords(registry, 'kept', cipherOf('new')).get(NAME))?.value).toEqual({ changed: true });
});

test('an invalid registry is refused by its name', () => {
  expect(() => encryptedRecords({} as MemoryRegistry, 'kept', cipherOf('k'))).toThrow('encryptedRecords: registry');
});
