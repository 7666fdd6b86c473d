import { MemoryRegistry, RegistryError, type Registry } from '@conv/store-kit/registry';
import { expect, onTestFinished, test } from 'vitest';

import { keyDigests } from '../../src/auth/key-digests.ts';
import { addKey, readKeys } from '../../src/auth/key-records.ts';
import { NamedKeys } from '../../src/auth/named-keys.ts';

/** Makes the keys of ann and bob, in a registry in which ann's record cannot be read. */
async function damagedKeys(): Promise<{ registry: Registry; ann: string; bob: string }> {
  const held = new MemoryRegistry();
  const [ann, bob] = [
    await addKey(held, { name: 'ann', scopes: ['read'] }),
    await addKey(held, { name: 'bob', scopes: ['run'] }),
  ];
  const registry: Registry = {
    get: async (kind, name) => {
      if (name === 'ann') throw new RegistryError('DAMAGED', 'ann: expected a record');
      return held.get(kind, name);
    },
    marks: (kind) => held.marks(kind),
    put: (...all) => held.put(...all),
    delete: (...all) => held.delete(...all),
    list: async (...all) => {
      const { items } = await held.list(...all);
      const damaged = [new RegistryError('DAMAGED', 'ann: expected a record')];
      return { items: items.filter(({ name }) => name !== 'ann'), damaged, next: undefined };
    },
  };
  return { registry, ann, bob };
}

test('a damaged record makes its own key void and no other, and is reported once', async () => {
  const { registry, ann, bob } = await damagedKeys();
  const reported: string[] = [];
  const keys = await NamedKeys.open(registry, { report: (error) => reported.push(String(error)) });
  onTestFinished(() => keys[Symbol.dispose]());
  await keys.refresh();
  const names = [ann, bob].map((key) => keys.of('key', keyDigests(key).key)?.name);
  expect(names).toEqual([undefined, 'bob']);
  expect(reported).toEqual([expect.stringContaining('[DAMAGED] ann: ')]);
});

test('a list of keys names a damaged record and shows the others', async () => {
  const { registry } = await damagedKeys();
  const damaged: string[] = [];
  const found = await Array.fromAsync(readKeys(registry, { damaged: (error) => damaged.push(String(error)) }));
  expect(found.map(({ name }) => name)).toEqual(['bob']);
  expect(damaged).toEqual([expect.stringContaining('[DAMAGED] ann: ')]);
  await expect(Array.fromAsync(readKeys(registry))).rejects.toThrow('[DAMAGED] ann: ');
});
