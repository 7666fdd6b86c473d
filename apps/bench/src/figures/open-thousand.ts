import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { ConversationState } from '@conv/core';
import type { FsStore } from '@conv/persist-fs';

import type { Figure } from '../figure.ts';
import { fill, Place } from '../place.ts';
import { withoutEventFiles } from '../without-event-files.ts';

/**
 * Memory of many conversations that are open, owned, appended to and watched by one subscriber each, beyond that of a process
 * without any. Their event files are left out: a million of them would be made to be removed again, and an open conversation
 * keeps nothing of them.
 */
export async function openThousand(conversations: number, events: number): Promise<readonly Figure[]> {
  await using place = new Place();
  const store = place.store({ mirror: 'deferred', disk: withoutEventFiles });
  const ids: string[] = [];
  while (ids.length < conversations) ids.push(await closedConversation(store, events));
  const program = join(import.meta.dirname, '..', 'open-all-worker.js');
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program, place.directory, ...ids]);
  const target = { of: 'value', is: 'at most', limit: 150 } as const;
  const value = Number(stdout) / 2 ** 20;
  return [{ name: 'open.thousand.memory', value, unit: 'MB', baseline: null, ratio: null, target }];
}

async function closedConversation(store: FsStore, events: number): Promise<string> {
  const id = randomUUID();
  const state = await ConversationState.open(await store.open(id, { owner: 'bench' }), { id });
  await state.close();
  const journal = await store.open(id, { owner: 'bench', create: 'never' });
  await fill(journal, events);
  await journal.close();
  return id;
}
