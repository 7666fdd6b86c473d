import { randomUUID } from 'node:crypto';

import { ConversationState, initialFields } from '@conv/core';
import { userMessage } from '@conv/core/events';
import { nodeDisk, type Disk, type MirrorMode } from '@conv/persist-fs';

import { median, time, type Figure } from '../figure.ts';
import { fill, kilobyteEvent, Place } from '../place.ts';

const IN_FLIGHT = 64;

/** Appends with 64 in flight against one at a time, and the device flushes that they share. */
export async function appendManyInFlight(count: number, rounds: number): Promise<readonly Figure[]> {
  return [
    ...(await measure('deferred', { count, rounds, limit: 6 })),
    ...(await measure('always', { count, rounds, limit: 3 })),
    await flushesOfState(count, rounds),
  ];
}

interface Plan {
  readonly count: number;
  readonly rounds: number;
  readonly limit: number;
}

async function measure(mirror: MirrorMode, { count, rounds, limit }: Plan): Promise<readonly Figure[]> {
  await using place = new Place();
  const counter = countingDisk();
  const journal = await place.store({ mirror, disk: counter.disk }).open(randomUUID(), { owner: 'bench' });
  await fill(journal, 100);
  const append = (): Promise<unknown> =>
    journal.append({ id: randomUUID(), events: [kilobyteEvent(null)] }, initialFields);
  const rates: { one: number; many: number; flushes: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const single = Math.max(50, Math.round(count / 20));
    const one = single / (await time(() => repeat(single, append)));
    const before = counter.flushes();
    const many = count / (await time(() => manyInFlight(count, append)));
    rates.push({ one: one * 1000, many: many * 1000, flushes: (counter.flushes() - before) / count });
  }
  const [one, many] = [median(rates.map((rate) => rate.one)), median(rates.map((rate) => rate.many))];
  const name = `fs.append.inflight64.${mirror}`;
  return [
    {
      name,
      value: many,
      unit: 'per second',
      baseline: one,
      ratio: many / one,
      target: { of: 'ratio', is: 'at least', limit },
    },
    flushFigure(`${name}.flushes`, median(rates.map((rate) => rate.flushes))),
  ];
}

/** The same appends through the state: what its lock and its transactions leave of sharing. */
async function flushesOfState(count: number, rounds: number): Promise<Figure> {
  await using place = new Place();
  const counter = countingDisk();
  const id = randomUUID();
  const journal = await place.store({ disk: counter.disk }).open(id, { owner: 'bench' });
  const state = await ConversationState.open(journal, { id });
  const draft = userMessage('x'.repeat(640));
  const flushes: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = counter.flushes();
    await manyInFlight(count, () => state.append([draft]));
    flushes.push((counter.flushes() - before) / count);
  }
  await state.close();
  return flushFigure('fs.append.state.inflight64.flushes', median(flushes));
}

function flushFigure(name: string, value: number): Figure {
  const target = { of: 'value', is: 'at most', limit: 0.05 } as const;
  return { name, value, unit: 'per event', baseline: 1, ratio: null, target };
}

async function manyInFlight(count: number, append: () => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: IN_FLIGHT }, () => repeat(count / IN_FLIGHT, append)));
}

async function repeat(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < count; done++) await work();
}

function countingDisk(): { readonly disk: Disk; flushes(): number } {
  let flushes = 0;
  const disk: Disk = {
    ...nodeDisk,
    sync: (file, site, mayBlock) => {
      flushes++;
      return nodeDisk.sync(file, site, mayBlock);
    },
    syncFolder: (path, site) => {
      flushes++;
      return nodeDisk.syncFolder(path, site);
    },
  };
  return { disk, flushes: () => flushes };
}
