import assert from 'node:assert/strict';

import type { Json } from '@conv/core';
import { isRegistryError, type Registry } from '@conv/store-kit/registry';
import { rejects } from './expect-registry.ts';
import { registryCase, type RegistryConformanceCase } from './registry-under-test.ts';

const KIND = 'keys';

/** Names that a backend may take for something else: paths, patterns, quotes, devices, other cases and other forms of a character. */
export const HOSTILE_NAMES: readonly string[] = [
  '.',
  '..',
  '../up',
  '/etc/passwd',
  'a/b',
  'a\\b',
  'A',
  'a',
  'CON',
  'con',
  'NUL.txt',
  '%2e%2e',
  '%',
  '_',
  '*',
  '?',
  "'; drop table keys; --",
  '"',
  '$1',
  '${HOME}',
  ' ',
  ' a ',
  '\n',
  '\u007f',
  '\u00e9',
  'e\u0301',
  '\u{1f511}',
  '\u{1f511}'.repeat(20),
  'x'.repeat(80),
  '-rf',
  '__proto__',
  'constructor',
  'draft-x',
  '000000000001.json',
];

/** Cases about records that are read, stored and removed. */
export const writingCases: readonly RegistryConformanceCase[] = [
  registryCase('a stored record is read by every object on the backend', async ({ registry, again }) => {
    const value = { text: 'ä\u0000\u{1f511}', list: [1, null, true], deep: { of: [{}] } };
    const version = await registry.put(KIND, 'one', value, { expected: null });
    for (const reader of [registry, await again()])
      assert.deepEqual(await reader.get(KIND, 'one'), { name: 'one', value, version });
    assert.equal(await registry.get(KIND, 'two'), undefined);
    assert.equal(await registry.get('others', 'one'), undefined);
  }),
  registryCase('each JSON value is stored as it is', async ({ registry }) => {
    const values: readonly Json[] = [null, false, 0, -1.5, '', 'text', [], {}, { value: null }];
    for (const [at, value] of values.entries()) {
      await registry.put(KIND, `of-${at}`, value, { expected: null });
      assert.deepEqual((await registry.get(KIND, `of-${at}`))?.value, value);
    }
  }),
  registryCase('a value that was read can be changed without changing the record', async ({ registry }) => {
    const given = { list: [1] };
    await registry.put(KIND, 'one', given, { expected: null });
    given.list.push(2);
    const read = (await registry.get(KIND, 'one'))?.value as { list: number[] } | undefined;
    read?.list.push(3);
    assert.deepEqual((await registry.get(KIND, 'one'))?.value, { list: [1] });
  }),
  registryCase('a record is replaced only by a writer that knows its version', async ({ registry, again }) => {
    const first = await registry.put(KIND, 'one', 1, { expected: null });
    await rejects('CONFLICT', 'a second creation', registry.put(KIND, 'one', 2, { expected: null }));
    const second = await registry.put(KIND, 'one', 2, { expected: first });
    assert.notEqual(second, first);
    const other = await again();
    await rejects('CONFLICT', 'a change of an old version', other.put(KIND, 'one', 3, { expected: first }));
    await rejects('CONFLICT', 'a change of an unknown version', other.put(KIND, 'one', 3, { expected: 'unknown' }));
    await rejects('CONFLICT', 'a change of no record', other.put(KIND, 'two', 3, { expected: first }));
    assert.deepEqual(await other.get(KIND, 'one'), { name: 'one', value: 2, version: second });
  }),
  registryCase('a record is removed only by a writer that knows its version', async ({ registry, again }) => {
    const first = await registry.put(KIND, 'one', 1, { expected: null });
    const second = await registry.put(KIND, 'one', 2, { expected: first });
    await rejects('CONFLICT', 'a deletion of an old version', registry.delete(KIND, 'one', { expected: first }));
    await registry.delete(KIND, 'one', { expected: second });
    const other = await again();
    assert.equal(await other.get(KIND, 'one'), undefined);
    await rejects('CONFLICT', 'a second deletion', other.delete(KIND, 'one', { expected: second }));
    await rejects('CONFLICT', 'a change of a removed record', other.put(KIND, 'one', 3, { expected: second }));
  }),
  registryCase('a record that was removed and made again has another version', async ({ registry, again }) => {
    const first = await registry.put(KIND, 'one', 1, { expected: null });
    await registry.delete(KIND, 'one', { expected: first });
    const second = await (await again()).put(KIND, 'one', 1, { expected: null });
    assert.notEqual(second, first);
    await rejects('CONFLICT', 'a change of the removed record', registry.put(KIND, 'one', 2, { expected: first }));
  }),
  registryCase('one of several concurrent changes of a version succeeds alone', async ({ registry, again }) => {
    const writers = [registry, await again(), await again()];
    let version: string | null = null;
    for (let round = 0; round < 5; round++) {
      const tries = Array.from({ length: 12 }, (_, at) => attempt(writers[at % 3] as Registry, at, version));
      const won = (await Promise.all(tries)).filter((one) => one !== undefined);
      assert.equal(won.length, 1, `of 12 changes in round ${round} one succeeds, but ${won.length} did`);
      const stored = await registry.get(KIND, 'one');
      assert.deepEqual({ value: stored?.value, version: stored?.version }, won[0]);
      version = stored?.version ?? null;
    }
  }),
  registryCase('no increment of concurrent writers is lost', async ({ registry, again }) => {
    const writers = [registry, await again(), await again()];
    await Promise.all(writers.flatMap((writer) => [increment(writer, 5), increment(writer, 5)]));
    assert.equal((await registry.get(KIND, 'count'))?.value, 30);
  }),
  registryCase('names with hostile characters are records of their own', async ({ registry, again }) => {
    for (const name of HOSTILE_NAMES) await registry.put(KIND, name, { is: name }, { expected: null });
    const other = await again();
    for (const name of HOSTILE_NAMES) assert.deepEqual((await other.get(KIND, name))?.value, { is: name });
  }),
  registryCase('kinds and names that are not allowed are refused by name', async ({ registry }) => {
    const names = ['', 'a\0b', 'x'.repeat(81), '\u{1f511}'.repeat(21), '\ud800'];
    for (const name of names) {
      await rejects('INVALID', `name ${JSON.stringify(name)}`, registry.put(KIND, name, 1, { expected: null }));
      await rejects('INVALID', `name ${JSON.stringify(name)}`, registry.get(KIND, name));
    }
    for (const kind of ['', 'Keys', '../x', 'a/b', '1a', 'x'.repeat(33)])
      await rejects('INVALID', `kind ${JSON.stringify(kind)}`, registry.list(kind));
    await rejects('INVALID', 'a wrong kind', registry.marks('../x'));
  }),
  registryCase('a value has at most 256 KiB', async ({ registry }) => {
    const most = 'ä'.repeat(131_071);
    const version = await registry.put(KIND, 'large', most, { expected: null });
    assert.equal((await registry.get(KIND, 'large'))?.value, most);
    await rejects('TOO_LARGE', 'a larger value', registry.put(KIND, 'large', `${most}ä`, { expected: version }));
    assert.equal((await registry.get(KIND, 'large'))?.version, version);
  }),
];

async function attempt(
  registry: Registry,
  value: number,
  expected: string | null,
): Promise<{ readonly value: number; readonly version: string } | undefined> {
  try {
    return { value, version: await registry.put(KIND, 'one', value, { expected }) };
  } catch (error) {
    if (isRegistryError(error, 'CONFLICT')) return undefined;
    throw error;
  }
}

async function increment(registry: Registry, times: number): Promise<void> {
  for (let done = 0; done < times;) {
    const held = await registry.get(KIND, 'count');
    try {
      await registry.put(KIND, 'count', Number(held?.value ?? 0) + 1, { expected: held?.version ?? null });
      done++;
    } catch (error) {
      if (!isRegistryError(error, 'CONFLICT')) throw error;
    }
  }
}
