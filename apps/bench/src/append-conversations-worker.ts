import { randomUUID } from 'node:crypto';

import { initialFields } from '@conv/core';
import type { Journal } from '@conv/core/store';
import type { MirrorMode } from '@conv/persist-fs';

import { median, time } from './figure.ts';
import type { ManyConversations, Rates } from './figures/append-conversations.ts';
import { kilobyteEvent, Place } from './place.ts';

const sizes = JSON.parse(process.argv[2] ?? '') as ManyConversations;
process.stdout.write(JSON.stringify([await measure('deferred', sizes), await measure('always', sizes)]));

async function measure(mirror: MirrorMode, { conversations, appends, rounds }: ManyConversations): Promise<Rates> {
  await using place = new Place();
  const store = place.store({ mirror });
  const journals: Journal[] = [];
  while (journals.length < conversations) journals.push(await store.open(randomUUID(), { owner: 'bench' }));
  const rates: { readonly one: number; readonly many: number }[] = [];
  // the first round warms up
  for (let round = 0; round <= rounds; round++) {
    const alone = appends * 8;
    const one = alone / (await time(() => repeat(alone, journals[0])));
    const elapsed = await time(() => Promise.all(journals.map((journal) => repeat(appends, journal))));
    const many = (conversations * appends) / elapsed;
    if (round > 0) rates.push({ one: one * 1000, many: many * 1000 });
  }
  for (const journal of journals) await journal.close();
  return { name: mirror, one: median(rates.map(({ one }) => one)), many: median(rates.map(({ many }) => many)) };
}

async function repeat(count: number, journal: Journal | undefined): Promise<void> {
  for (let done = 0; done < count; done++)
    await journal?.append({ id: randomUUID(), events: [kilobyteEvent(null)] }, initialFields);
}
