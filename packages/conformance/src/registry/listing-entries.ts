import assert from 'node:assert/strict';

import type { Json } from '@conv/core';
import { readEntries, type EntryQuery, type Registry } from '@conv/store-kit/registry';
import { rejects } from './expect-registry.ts';
import { registryCase, type RegistryConformanceCase } from './registry-under-test.ts';
import { HOSTILE_NAMES } from './writing-entries.ts';

const KIND = 'keys';

/** Cases about lists of records. */
export const listingCases: readonly RegistryConformanceCase[] = [
  registryCase('a list has each record of its kind once, by the bytes of names', async ({ registry, again }) => {
    await store(registry, HOSTILE_NAMES);
    await registry.put('others', 'one', 1, { expected: null });
    const sorted = [...HOSTILE_NAMES].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    const other = await again();
    for (const limit of [1, 3, 7, 100]) assert.deepEqual(await names(other, { limit }), sorted, `limit ${limit}`);
    assert.deepEqual(await names(other), sorted);
    assert.deepEqual((await other.list('unused')).items, []);
  }),
  registryCase('a list has values and versions as single records have', async ({ registry }) => {
    await store(registry, ['a', 'b']);
    const { items } = await registry.list(KIND);
    for (const item of items) assert.deepEqual(item, await registry.get(KIND, item.name));
  }),
  registryCase('a prefix is a text and no pattern', async ({ registry }) => {
    await store(registry, ['a', 'a/b', 'a/c', 'A/d', 'a%', 'ab', '*', 'a_', '_']);
    assert.deepEqual(await names(registry, { prefix: 'a/' }), ['a/b', 'a/c']);
    assert.deepEqual(await names(registry, { prefix: 'a/', limit: 1 }), ['a/b', 'a/c']);
    assert.deepEqual(await names(registry, { prefix: 'a%' }), ['a%']);
    assert.deepEqual(await names(registry, { prefix: 'a_' }), ['a_']);
    assert.deepEqual(await names(registry, { prefix: '*' }), ['*']);
    assert.deepEqual(await names(registry, { prefix: '_' }), ['_']);
    assert.deepEqual(await names(registry, { prefix: 'z' }), []);
  }),
  registryCase('a record that stays is on one page while others come and go', async ({ registry, again }) => {
    const staying = Array.from({ length: 9 }, (_, at) => `m${at}`);
    await store(registry, staying);
    const writer = await again();
    const seen: string[] = [];
    let page: string | undefined;
    for (let at = 0; ; at++) {
      const listed = await registry.list(KIND, { limit: 2, ...(page === undefined ? {} : { page }) });
      seen.push(...listed.items.map(({ name }) => name));
      if (listed.next === undefined) break;
      page = listed.next;
      await store(writer, [`a${at}`, `z${at}`]);
      const gone = await writer.get(KIND, `a${at - 1}`);
      if (gone) await writer.delete(KIND, gone.name, { expected: gone.version });
      const changed = await writer.get(KIND, 'm0');
      await writer.put(KIND, 'm0', at, { expected: changed?.version ?? null });
    }
    assert.deepEqual(
      seen.filter((name) => name.startsWith('m')),
      staying,
    );
    assert.equal(new Set(seen).size, seen.length, 'no record is on two pages');
  }),
  registryCase('removed records are on no page', async ({ registry, again }) => {
    await store(registry, ['a', 'b', 'c', 'd']);
    for (const name of ['b', 'd']) {
      const held = await registry.get(KIND, name);
      await registry.delete(KIND, name, { expected: held?.version ?? '' });
    }
    for (const limit of [1, 2, 10]) assert.deepEqual(await names(await again(), { limit }), ['a', 'c']);
  }),
  registryCase('the mark of a record stays until the record is changed', async ({ registry, again }) => {
    await store(registry, HOSTILE_NAMES);
    await registry.put('others', 'one', 1, { expected: null });
    const before = await registry.marks(KIND);
    assert.deepEqual([...before.keys()].sort(), [...HOSTILE_NAMES].sort());
    const other = await again();
    assert.deepEqual(sorted(await other.marks(KIND)), sorted(before), 'reading changes no mark');
    await change(other, 'a', { is: 'a' });
    assert.deepEqual(changedFrom(before, await registry.marks(KIND)), ['a'], 'a change to an equal value counts');
    assert.deepEqual(await other.marks('unused'), new Map());
  }),
  registryCase('a record that was removed and made again has a mark of its own', async ({ registry, again }) => {
    await store(registry, ['a', 'b']);
    const marks = [await registry.marks(KIND)];
    const writer = await again();
    for (let round = 0; round < 3; round++) {
      const held = await writer.get(KIND, 'a');
      await writer.delete(KIND, 'a', { expected: held?.version ?? '' });
      marks.push(await registry.marks(KIND));
      await store(writer, ['a']);
      marks.push(await registry.marks(KIND));
    }
    const known = marks.flatMap((one, at) => (at % 2 === 0 ? [one.get('a')] : []));
    assert.ok(!known.includes(undefined), 'each record has a mark');
    assert.equal(new Set(known).size, known.length, 'no mark comes again');
    for (const one of marks.filter((_, at) => at % 2 === 1)) assert.ok(!known.includes(one.get('a') ?? 'none'));
    assert.equal(new Set(marks.map((one) => one.get('b'))).size, 1, 'the other record keeps its mark');
  }),
  registryCase('invalid limits and pages are refused', async ({ registry }) => {
    await store(registry, ['a', 'b']);
    for (const limit of [0, -1, 1.5, Number.NaN])
      await rejects('INVALID', `limit ${limit}`, registry.list(KIND, { limit }));
    await rejects('INVALID', 'a page of its own making', registry.list(KIND, { page: '%%%' }));
  }),
];

async function store(registry: Registry, all: readonly string[]): Promise<void> {
  for (const name of all) await registry.put(KIND, name, { is: name }, { expected: null });
}

async function change(registry: Registry, name: string, value: Json): Promise<void> {
  const held = await registry.get(KIND, name);
  await registry.put(KIND, name, value, { expected: held?.version ?? null });
}

function sorted(marks: ReadonlyMap<string, string>): readonly (readonly [string, string])[] {
  return [...marks].sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}

function changedFrom(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  return [...after].filter(([name, mark]) => before.get(name) !== mark).map(([name]) => name);
}

async function names(registry: Registry, options: EntryQuery = {}): Promise<readonly string[]> {
  const entries = await Array.fromAsync(readEntries(registry, KIND, options));
  return entries.map(({ name }) => name);
}
