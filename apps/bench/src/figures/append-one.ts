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
  const ofJournal = await alternate(plain, samples, async () => {
    const event = kilobyteEvent(null);
    const start = performance.now();
    await journal.append({ id: randomUUID(), events: [event] }, initialFields);
    return performance.now() - start;
  });
  await journal.close();

  const state = await ConversationState.open(await store.open(id, { owner: 'bench', create: 'never' }));
  const ofState = await alternate(plain, samples, () => time(() => state.append([draftOf()])));
  await state.close();

  return [figureOf(`fs.append.single.${size}`, ofJournal), figureOf(`fs.append.state.${size}`, ofState)];
}

async function warmUp(): Promise<void> {
  if (warmed) return;
  warmed = true;
  await using place = new Place();
  using plain = new PlainLog(place.directory);
  const state = await ConversationState.open(await place.store().open(randomUUID(), { owner: 'bench' }));
  await alternate(plain, WARM_UP, () => time(() => state.append([draftOf()])));
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

async function alternate(plain: PlainLog, samples: number, append: () => Promise<number>): Promise<Pair> {
  const line = `${JSON.stringify(stampEvent(draftOf(), { id: randomUUID(), timestamp: '2026-01-01T00:00:00.000000', parentId: randomUUID() }))}\n`;
  const pair = { ours: [] as number[], plain: [] as number[] };
  for (let sample = 0; sample < samples; sample++) {
    const start = performance.now();
    plain.append(line);
    pair.plain.push(performance.now() - start);
    pair.ours.push(await append());
  }
  return pair;
}

function figureOf(name: string, { ours, plain }: Pair): Figure {
  return timeBeside({ name, value: median(ours), baseline: median(plain), limit: 1.5 });
}
