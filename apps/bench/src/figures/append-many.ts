import { randomUUID } from 'node:crypto';

import { initialFields } from '@conv/core';
import { nodeDisk, type Disk, type ViewMode } from '@conv/persist-fs';

import { median, time, type Figure } from '../figure.ts';
import { fill, kilobyteEvent, Place } from '../place.ts';

const IN_FLIGHT = 64;
const ROUNDS = 9;

/** Appends with 64 in flight against one at a time, and the device flushes that they share. */
export async function appendManyInFlight(count: number): Promise<readonly Figure[]> {
  return [...(await measure('deferred', count, 6)), ...(await measure('always', count, 3))];
}

async function measure(view: ViewMode, count: number, limit: number): Promise<readonly Figure[]> {
  await using place = new Place();
  const counter = countingDisk();
  const journal = await place.store({ view, disk: counter.disk }).open(randomUUID(), { owner: 'bench' });
  await fill(journal, 100);
  const append = (): Promise<unknown> =>
    journal.append({ id: randomUUID(), events: [kilobyteEvent(null)] }, initialFields);
  const rates: { one: number; many: number; flushes: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const single = Math.max(50, Math.round(count / 20));
    const one = single / (await time(() => repeat(single, append)));
    const before = counter.flushes();
    const many =
      count /
      (await time(() => Promise.all(Array.from({ length: IN_FLIGHT }, () => repeat(count / IN_FLIGHT, append)))));
    rates.push({ one: one * 1000, many: many * 1000, flushes: (counter.flushes() - before) / count });
  }
  const [one, many] = [median(rates.map((rate) => rate.one)), median(rates.map((rate) => rate.many))];
  const name = `fs.append.inflight64.${view}`;
  return [
    {
      name,
      value: many,
      unit: 'per second',
      baseline: one,
      ratio: many / one,
      target: { of: 'ratio', is: 'at least', limit },
    },
    {
      name: `${name}.flushes`,
      value: median(rates.map((rate) => rate.flushes)),
      unit: 'per event',
      baseline: 1,
      ratio: null,
      target: { of: 'value', is: 'at most', limit: 0.05 },
    },
  ];
}

async function repeat(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < count; done++) await work();
}

function countingDisk(): { readonly disk: Disk; flushes(): number } {
  let flushes = 0;
  const disk: Disk = {
    ...nodeDisk,
    sync: (file, site) => {
      flushes++;
      return nodeDisk.sync(file, site);
    },
    syncFolder: (path, site) => {
      flushes++;
      return nodeDisk.syncFolder(path, site);
    },
  };
  return { disk, flushes: () => flushes };
}
