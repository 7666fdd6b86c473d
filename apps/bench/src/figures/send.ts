import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import type { ConversationStore } from '@conv/core/store';
import { openLocalConversation } from '@conv/local';
import { SqliteStore } from '@conv/persist-sqlite';

import { PlainLog } from '../baseline.ts';
import { beside } from '../beside.ts';
import type { Figure } from '../figure.ts';
import { instantAgent } from '../instant-agent.ts';
import { kilobyteEvent, Place } from '../place.ts';

const TEXT = 'x'.repeat(640);
/** Messages before anything is counted: the first thousands measure how a program is compiled. */
const WARM_UP = 2000;

/** The whole way of a message, until it is durable, beside the same bytes appended to a file and flushed. */
export async function sendMessages(samples: number): Promise<readonly Figure[]> {
  await using place = new Place();
  const sqlite = new SqliteStore({ file: join(place.directory, 'conversations.db') });
  try {
    const files = await measure('fs.send', { store: place.store(), place, samples });
    return [files, await measure('sqlite.send', { store: sqlite, place, samples })];
  } finally {
    await sqlite.close();
  }
}

interface Sending {
  readonly store: ConversationStore;
  readonly place: Place;
  readonly samples: number;
}

async function measure(name: string, { store, place, samples }: Sending): Promise<Figure> {
  using plain = new PlainLog(place.directory);
  const line = `${JSON.stringify(kilobyteEvent(randomUUID()))}\n`;
  const conversation = await openLocalConversation(
    { storeAt: () => store },
    { store, id: randomUUID(), agent: instantAgent(0), workspace: place.directory },
  );
  const warmUp = Math.min(WARM_UP, samples * 2);
  for (let sent = 0; sent < warmUp; sent++) await conversation.sendMessage(TEXT);
  const figure = await beside({
    name,
    samples,
    limit: 1.7,
    ours: () => conversation.sendMessage(TEXT),
    bare: async () => plain.append(line),
  });
  await conversation.close();
  return figure;
}
