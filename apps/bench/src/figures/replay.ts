import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { foldJournal } from '@conv/core';
import { readEvents } from '@conv/core/store';

import { median, time, timeBeside, type Figure } from '../figure.ts';
import { makeConversation, Place } from '../place.ts';
import { withoutEventFiles } from '../without-event-files.ts';

const ROUNDS = 5;

/** Folding the whole log, and reading it without decoding, beside parsing the same events from one file of JSON lines. */
export async function replay(size: number): Promise<readonly Figure[]> {
  await using place = new Place();
  const store = place.store({ mirror: 'deferred', disk: withoutEventFiles });
  const id = await makeConversation(store, size);
  const reader = await store.read(id);
  if (!reader) throw new Error('the conversation is not there');
  const lines = join(place.directory, 'events.jsonl');
  const all: string[] = [];
  for await (const { event } of readEvents(reader, 0)) all.push(JSON.stringify(event));
  writeFileSync(lines, all.join('\n'));
  all.length = 0;
  const [ours, undecoded, plain]: [number[], number[], number[]] = [[], [], []];
  let peak = 0;
  for (let round = 0; round < ROUNDS; round++) {
    plain.push(await time(() => parseLines(lines)));
    globalThis.gc?.();
    const before = process.memoryUsage.rss();
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss() - before)), 5);
    ours.push(await time(() => foldJournal(reader)));
    clearInterval(watch);
    undecoded.push(await time(() => reader.verify?.(0, reader.end.seq)));
  }
  const [value, baseline] = [median(ours), median(plain)];
  return [
    {
      name: `fs.replay.${size}`,
      value,
      unit: 'ms',
      baseline,
      ratio: value / baseline,
      // the target is for a log that is long enough for the start of the program not to count
      ...(size >= 100_000 ? { target: { of: 'ratio', is: 'at most', limit: 1.35 } as const } : {}),
    },
    timeBeside({ name: `fs.read.undecoded.${size}`, value: median(undecoded), baseline, limit: 0.5 }),
    {
      name: `fs.replay.memory.${size}`,
      value: peak / 2 ** 20,
      unit: 'MB',
      baseline: null,
      ratio: null,
      target: { of: 'value', is: 'at most', limit: 120 },
    },
  ];
}

function parseLines(file: string): number {
  let count = 0;
  for (const line of readFileSync(file, 'utf8').split('\n')) if (JSON.parse(line)) count++;
  return count;
}
