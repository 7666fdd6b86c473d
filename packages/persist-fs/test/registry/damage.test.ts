import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Json } from '@conv/core';
import { isRegistryError } from '@conv/store-kit/registry';
import { expect, onTestFinished, test } from 'vitest';
import { FsRegistry } from '../../src/index.ts';

const VALUE = { scopes: ['read'], own_only: true, tags: { team: 'red' }, expires_at: '2030-01-01T00:00:00.000Z' };

interface Stored {
  readonly registry: FsRegistry;
  /** The file of the newest version of `ann`. */
  readonly file: string;
}

async function stored({ removed }: { readonly removed: boolean }): Promise<Stored> {
  const directory = await mkdtemp(join(tmpdir(), 'conv-registry-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const registry = new FsRegistry({ directory });
  await registry.put('keys', 'bob', 1, { expected: null });
  const expected = await registry.put('keys', 'ann', VALUE, { expected: null });
  if (removed) await registry.delete('keys', 'ann', { expected });
  const folder = join(directory, 'keys', 'ann');
  return { registry, file: join(folder, (await readdir(folder)).toSorted().at(-1) ?? '') };
}

/** Resolves with the value of `ann`, null for none, or the code of the error, and checks that `bob` is listed beside it. */
async function annIn(registry: FsRegistry): Promise<Json> {
  const found = await registry.get('keys', 'ann').then(
    (entry) => entry?.value ?? null,
    (error: unknown) => (isRegistryError(error) ? error.code : String(error)),
  );
  const { items, damaged } = await registry.list('keys');
  expect(items.map(({ name }) => name)).toContain('bob');
  expect(damaged.map(({ code }) => code)).toEqual(found === 'DAMAGED' ? ['DAMAGED'] : []);
  return found;
}

test.each([{ removed: false }, { removed: true }])(
  'P4: no flipped bit and no cut changes a record or brings one back: %j',
  async ({ removed }) => {
    const { registry, file } = await stored({ removed });
    const whole = await readFile(file);
    const right = removed ? null : VALUE;
    const wrong: Json[] = [];
    let damages = 0;
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const bytes = Buffer.from(whole);
      bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
      await writeFile(file, bytes);
      const found = await annIn(registry);
      if (found === 'DAMAGED') damages++;
      else if (!isDeepStrictEqual(found, right)) wrong.push([bit, found]);
    }
    expect(wrong).toEqual([]);
    expect(damages).toBeGreaterThan(whole.length * 6);
    for (let length = 0; length < whole.length; length++) {
      await writeFile(file, whole.subarray(0, length));
      expect([length, await annIn(registry)]).toEqual([length, 'DAMAGED']);
    }
  },
);

test.each([{ removed: false }, { removed: true }])(
  'P4: the loss of the newest version brings no earlier one back: %j',
  async ({ removed }) => {
    const { registry, file } = await stored({ removed });
    if (!removed) await registry.put('keys', 'ann', { revoked: true }, { expected: '1' });
    const newest = join(file, '..', '000000000002.record');
    await rm(newest);
    expect(await annIn(registry)).toBe('DAMAGED');
    await expect(registry.put('keys', 'ann', VALUE, { expected: '1' })).rejects.toThrow('DAMAGED');
  },
);

test.each([
  ['a folder', (file: string) => mkdir(file)],
  ['a link that leads nowhere', (file: string) => symlink('/nowhere/at/all', file)],
  ['a link to itself', (file: string) => symlink(file, file)],
  ['null', (file: string) => writeFile(file, 'null')],
])('%s in place of a record hides no other record', async (_, place) => {
  const { registry, file } = await stored({ removed: false });
  await rm(file);
  await place(file);
  expect(await annIn(registry)).toBe('DAMAGED');
  await expect(registry.put('keys', 'ann', 2, { expected: null })).rejects.toThrow('DAMAGED');
});
