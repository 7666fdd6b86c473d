import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Disk } from '../../src/index.ts';
import { encodeEntries, IndexFile } from '../../src/log/index-file.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const EVENTS = 20_000;

test('P12: an index of more than one block knows each of its events by number and id', async () => {
  const index = new IndexFile(nodeDisk, join(await freshFolder(), 'index'), 'update');
  const ids = Array.from({ length: EVENTS }, () => randomUUID());
  index.write(0, encodeEntries(ids, { epoch: 1, offset: 0, length: 1, seq: 0 }));
  const matches = index.matcher(EVENTS);
  expect(ids.filter((id, event) => !matches(event, id))).toEqual([]);
  expect(matches(0, ids[1] as string)).toBe(false);
  expect(matches(EVENTS, ids[0] as string)).toBe(false);
  for (const event of [0, 8191, 8192, EVENTS - 1]) {
    expect([...index.candidates(ids[event] as string, EVENTS)]).toEqual([event]);
  }
  index.rest();
});

test('P12: an id that was sought once is sought again without reading the index again', async () => {
  let bytes = 0;
  const disk: Disk = {
    ...nodeDisk,
    read: (file, target, position) => {
      bytes += target.length;
      return nodeDisk.read(file, target, position);
    },
  };
  const index = new IndexFile(disk, join(await freshFolder(), 'index'), 'update');
  const ids = Array.from({ length: EVENTS }, () => randomUUID());
  const entry = { epoch: 1, offset: 0, length: 1, seq: 0 };
  const readFor = (id: string, to: number, expected: readonly number[]): number => {
    bytes = 0;
    expect([...index.candidates(id, to)]).toEqual(expected);
    return bytes;
  };
  index.write(0, encodeEntries(ids, entry));
  expect(readFor(randomUUID(), EVENTS, [])).toBeGreaterThanOrEqual(EVENTS * IndexFile.entryBytes);
  expect(readFor(randomUUID(), EVENTS, [])).toBeLessThan(1000);
  expect(readFor(ids[EVENTS - 1] as string, EVENTS, [EVENTS - 1])).toBeLessThan(1000);
  const added = randomUUID();
  index.write(EVENTS, encodeEntries([added], entry));
  expect(readFor(added, EVENTS, [])).toBeLessThan(1000);
  expect(readFor(added, EVENTS + 1, [EVENTS])).toBeLessThan(1000);
  index.rest();
});

test('events of one id are found in their order', async () => {
  const index = new IndexFile(nodeDisk, join(await freshFolder(), 'index'), 'update');
  const ids = Array.from({ length: 5000 }, (_, event) => (event % 1000 === 7 ? 'the same' : randomUUID()));
  index.write(0, encodeEntries(ids, { epoch: 1, offset: 0, length: 1, seq: 0 }));
  expect([...index.candidates('the same', 600)]).toEqual([7]);
  expect([...index.candidates('the same', 5000)]).toEqual([7, 1007, 2007, 3007, 4007]);
  index.rest();
});
