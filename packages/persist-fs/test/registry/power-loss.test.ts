import { isRegistryError } from '@conv/store-kit/registry';
import { everything, nothingUnsynced, onlyData, onlyNames, SimulatedDisk } from '@conv/testing-disk';
import { ManualPlatform } from '@conv/testing-harness';
import { expect, test } from 'vitest';
import { FsRegistry } from '../../src/index.ts';

const directory = '/home/registry';
// the times of the files of this disk are numbers of operations
const platform = new ManualPlatform();
const survivals = [everything, nothingUnsynced, onlyData, onlyNames];

interface Lost {
  /** The last value that was acknowledged before the loss of power; `undefined` for none. */
  readonly acknowledged: number | undefined;
  readonly disk: SimulatedDisk;
}

/** Stores the values 1 to 4 in one record, and loses power after each operation, in each way. */
async function lose(without: ReadonlySet<string>): Promise<readonly Lost[]> {
  const lost: Lost[] = [];
  let acknowledged: number | undefined;
  const observe = (_: unknown, disk: SimulatedDisk): void => {
    for (const survival of survivals) lost.push({ acknowledged, disk: disk.crash(survival, { platform }) });
  };
  const registry = new FsRegistry({ directory, disk: new SimulatedDisk({ observe, without, platform }) });
  let version: string | null = null;
  for (const value of [1, 2, 3, 4]) {
    version = await registry.put('keys', 'one', value, { expected: version });
    acknowledged = value;
  }
  return lost;
}

/** Returns what does not hold after the losses: the record is the acknowledged one or the next one, whole, and can be changed. */
async function violations(all: readonly Lost[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { acknowledged, disk } of all) {
    const registry = new FsRegistry({ directory, disk });
    try {
      const entry = await registry.get('keys', 'one');
      const value = Number(entry?.value ?? 0);
      const least = acknowledged ?? 0;
      if (value !== least && value !== least + 1) found.push(`after ${least} it is ${value}`);
      await registry.put('keys', 'one', 9, { expected: entry?.version ?? null });
    } catch (error) {
      if (!isRegistryError(error)) throw error;
      found.push(error.message);
    }
  }
  return found;
}

test('an acknowledged record survives a loss of power at any operation, whole', async () => {
  const all = await lose(new Set());
  expect(all.length).toBeGreaterThan(40);
  expect(await violations(all)).toEqual([]);
});

test.each(['registry name', 'registry value', 'registry version'])(
  'an acknowledged record is lost without the sync "%s"',
  async (site) => {
    expect(await violations(await lose(new Set([site])))).not.toEqual([]);
  },
);
