import { randomUUID } from 'node:crypto';

import { ConversationState, initialFields } from '@conv/core';
import { stampEvent, userMessage } from '@conv/core/events';

import { PlainLog } from '../baseline.ts';
import { median, time, timeBeside, type Figure } from '../figure.ts';
import { kilobyteEvent, makeConversation, Place } from '../place.ts';

/** Before anything is counted: the first thousands measure how a program is compiled, which it is once. */
const WARM_UP = 3000;
let warmed = false;

/** Durable appends of 1 KB one at a time, each beside the same bytes written plainly. */
export async function appendOneAtATime(size: number, samples: number): Promise<readonly Figure[]> {
  await warmUp();
  await using place = new Place();
  using plain = new PlainLog(place.directory);
  const store = place.store();
  const id = await makeConversation(store, size);

  const journal = await store.open(id, { owner: 'bench', create: 'never' });
  const ofJournal = await alternateBoth(plain, samples, async () => {
    const event = kilobyteEvent(null);
    const start = performance.now();
    await journal.append({ id: randomUUID(), events: [event] }, initialFields);
    return performance.now() - start;
  });
  await journal.close();

  const state = await ConversationState.open(await store.open(id, { owner: 'bench', create: 'never' }));
  const ofState = await alternateBoth(plain, samples, () => time(() => state.append([draftOf()])));
  await state.close();

  return [
    ...figuresOf('fs.append.single', { size, pairs: ofJournal, limit: 1.3 }),
    ...figuresOf('fs.append.state', { size, pairs: ofState, limit: 1.5 }),
  ];
}

async function warmUp(): Promise<void> {
  if (warmed) return;
  warmed = true;
  await using place = new Place();
  using plain = new PlainLog(place.directory);
  const state = await ConversationState.open(await place.store().open(randomUUID(), { owner: 'bench' }));
  await alternate(
    (line) => plain.append(line),
    WARM_UP,
    () => time(() => state.append([draftOf()])),
  );
  await state.close();
}

/** A message that is about 1 KB as an event. */
function draftOf(): ReturnType<typeof userMessage> {
  return userMessage('x'.repeat(640), { sender: 'y'.repeat(60) });
}

interface Pair {
  readonly ours: readonly number[];
  readonly plain: readonly number[];
}

/** Appends beside flushes that block the process, then beside flushes that do not. */
interface Pairs {
  readonly blocking: Pair;
  readonly later: Pair;
}

async function alternateBoth(plain: PlainLog, samples: number, append: () => Promise<number>): Promise<Pairs> {
  const blocking = await alternate((line) => plain.append(line), samples, append);
  return { blocking, later: await alternate((line) => plain.appendLater(line), samples, append) };
}

async function alternate(
  plain: (line: string) => unknown,
  samples: number,
  append: () => Promise<number>,
): Promise<Pair> {
  const line = `${JSON.stringify(stampEvent(draftOf(), { id: randomUUID(), timestamp: '2026-01-01T00:00:00.000000', parentId: randomUUID() }))}\n`;
  const pair = { ours: [] as number[], plain: [] as number[] };
  for (let sample = 0; sample < samples; sample++) {
    pair.plain.push(await time(() => plain(line)));
    pair.ours.push(await append());
  }
  return pair;
}

function figuresOf(
  name: string,
  { size, pairs, limit }: { readonly size: number; readonly pairs: Pairs; readonly limit: number },
): readonly Figure[] {
  const { blocking, later } = pairs;
  const [value, baseline] = [median(later.ours), median(later.plain)];
  return [
    timeBeside({ name: `${name}.${size}`, value: median(blocking.ours), baseline: median(blocking.plain), limit }),
    { name: `${name}.later.${size}`, value, unit: 'ms', baseline, ratio: value / baseline },
  ];
}
