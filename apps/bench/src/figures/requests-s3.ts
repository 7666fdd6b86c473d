import { randomUUID } from 'node:crypto';

import { initialFields } from '@conv/core';
import type { Commit, Journal } from '@conv/core/store';

import { BucketPlace } from '../bucket-place.ts';
import type { Figure, Target } from '../figure.ts';
import { fill, kilobyteEvent } from '../place.ts';

const BYTES_PER_GET = 8 * 1024 * 1024;
/** So many slots are left without a pack when it is the worst time to be killed. */
const SLOTS = 50 + 4 * 56;

/** Counts the S3 requests of appends, openings and readings, and their price, because a bucket is paid by requests. */
export async function requestsOfS3(bursts: number): Promise<readonly Figure[]> {
  return [...(await ofAppends()), await ofOpening(), await ofReading(bursts)];
}

async function ofAppends(): Promise<readonly Figure[]> {
  await using place = await BucketPlace.open();
  const id = randomUUID();
  const journal = await place.store().open(id, { owner: 'bench' });
  for (let at = 0; at < 1000; at++) await append(journal);
  await journal.close();
  const { puts, price } = place.asked;
  const again = await place.store().open(id, { owner: 'bench' });
  await append(again);
  place.forget();
  await Promise.all(Array.from({ length: 100 }, () => append(again)));
  const together = place.asked.puts;
  return [
    figureOf('s3.put.single.1000', puts / 1000, 'per event', atMost(1.05)),
    figureOf('s3.put.together.100', together, 'requests', atMost(2)),
    figureOf('s3.price.1000', price, 'USD'),
  ];
}

/** After a kill, with as many slots to look at as there can be. */
async function ofOpening(): Promise<Figure> {
  await using place = await BucketPlace.open();
  const id = randomUUID();
  const journal = await place.store().open(id, { owner: 'bench' });
  for (let at = 0; at < SLOTS; at++) await append(journal);
  place.stall();
  place.forget();
  await place.store().open(id, { owner: 'next' });
  return figureOf('s3.open.write', place.asked.requests, 'requests', atMost(140));
}

async function ofReading(bursts: number): Promise<Figure> {
  await using place = await BucketPlace.open();
  const id = randomUUID();
  const journal = await place.store().open(id, { owner: 'bench' });
  await fill(journal, bursts * 16);
  for (let at = 0; at < SLOTS; at++) await append(journal);
  const bytes = place.logBytes;
  place.forget();
  const reader = await place.store().read(id);
  for await (const { seq } of reader?.commits() ?? []) if (seq < 0) throw new RangeError('a number below 0');
  const baseline = 75 + Math.floor(bytes / BYTES_PER_GET);
  const { gets } = place.asked;
  const target: Target = { of: 'ratio', is: 'at most', limit: 1 };
  return { name: 's3.read.cold', value: gets, unit: 'requests', baseline, ratio: gets / baseline, target };
}

function append(journal: Journal): Promise<Commit> {
  return journal.append({ id: randomUUID(), events: [kilobyteEvent(randomUUID())] }, initialFields);
}

function atMost(limit: number): Target {
  return { of: 'value', is: 'at most', limit };
}

function figureOf(name: string, value: number, unit: Figure['unit'], target?: Target): Figure {
  return { name, value, unit, baseline: null, ratio: null, ...(target ? { target } : {}) };
}
