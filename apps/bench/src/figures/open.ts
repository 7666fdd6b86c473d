import { linkSync, mkdirSync, readdirSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { ConversationState } from '@conv/core';
import { pause } from '@conv/core/events';
import { toConversationKey } from '@conv/core/store';
import type { FsStore } from '@conv/persist-fs';

import { median, time, type Figure } from '../figure.ts';
import { makeConversation, Place } from '../place.ts';

const ROUNDS = 7;
const KILLED_ROUNDS = 3;

/** The mark of a live owner, and files that are linked because copying ten thousands of them says nothing. */
const LEFT_OUT: ReadonlySet<string> = new Set(['owner.json', 'events']);

/** Opening for writing and reading the last 50 events: after a clean close, and after a kill. */
export async function openAndReadTail(size: number): Promise<readonly Figure[]> {
  await using place = new Place();
  const store = place.store({ view: 'deferred' });
  const id = await makeConversation(store, size);
  const clean: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    let state: ConversationState | undefined;
    clean.push(
      await time(async () => {
        state = await ConversationState.open(await store.open(id, { owner: 'bench', create: 'never' }));
        const tail = await state.events.slice(-50);
        if (tail.length !== Math.min(50, state.events.length)) throw new Error('the tail is not there');
      }),
    );
    await state?.close();
  }
  const killed = await openKilled(store, place.directory, id);
  return [figure(`fs.open.clean.${size}`, median(clean), 15), figure(`fs.open.killed.${size}`, median(killed), 150)];
}

/** Times to open copies that were taken while their owner was writing: what a kill leaves behind, but for the mark of a live owner. */
async function openKilled(store: FsStore, directory: string, id: string): Promise<readonly number[]> {
  const owner = await ConversationState.open(await store.open(id, { owner: 'bench', create: 'never' }));
  for (let event = 0; event < 100; event++) await owner.append([pause()]);
  const times: number[] = [];
  for (let round = 0; round < KILLED_ROUNDS; round++)
    times.push(await openCopy(join(directory, toConversationKey(id)), id));
  await owner.close();
  return times;
}

async function openCopy(folder: string, id: string): Promise<number> {
  await using place = new Place();
  const copy = join(place.directory, toConversationKey(id));
  await cp(folder, copy, { recursive: true, filter: (source) => !LEFT_OUT.has(basename(source)) });
  linkAll(join(folder, 'events'), join(copy, 'events'));
  let state: ConversationState | undefined;
  const elapsed = await time(async () => {
    state = await ConversationState.open(
      await place.store({ view: 'deferred' }).open(id, { owner: 'bench', create: 'never' }),
    );
    await state.events.slice(-50);
  });
  await state?.close();
  return elapsed;
}

function linkAll(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) linkSync(join(from, name), join(to, name));
}

function figure(name: string, value: number, limit: number): Figure {
  return { name, value, unit: 'ms', baseline: null, ratio: null, target: { of: 'value', is: 'at most', limit } };
}
