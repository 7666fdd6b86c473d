import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { encodeEntries, IndexFile } from '../src/index-file.ts';
import { nodeDisk } from '../src/node-disk.ts';
import { freshFolder } from './fresh-folder.ts';

const EVENTS = 20_000;

test('P12: an index of more than one block knows each of its events by number and id', async () => {
  const index = new IndexFile(nodeDisk, nodeDisk.open(join(await freshFolder(), 'index'), 'create'));
  const ids = Array.from({ length: EVENTS }, () => randomUUID());
  index.write(0, encodeEntries(ids, { epoch: 1, offset: 0, length: 1, seq: 0 }));
  const matches = index.matcher(EVENTS);
  expect(ids.filter((id, event) => !matches(event, id))).toEqual([]);
  expect(matches(0, ids[1] as string)).toBe(false);
  expect(matches(EVENTS, ids[0] as string)).toBe(false);
  for (const event of [0, 8191, 8192, EVENTS - 1]) {
    expect([...index.candidates(ids[event] as string, EVENTS)]).toEqual([event]);
  }
  index.close();
});
