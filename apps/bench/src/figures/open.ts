import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { ConversationState } from '@conv/core';
import type { FsStore } from '@conv/persist-fs';

import { median, time, type Figure } from '../figure.ts';
import { makeConversation, Place } from '../place.ts';

const ROUNDS = 7;
const KILLED_ROUNDS = 3;

/** Opening for writing and reading the last 50 events: after a clean close, and after the owner was killed. */
export async function openAndReadTail(size: number): Promise<readonly Figure[]> {
  await using place = new Place();
  const store = place.store({ mirror: 'deferred' });
  const id = await makeConversation(store, size);
  const clean: number[] = [];
  for (let round = 0; round < ROUNDS; round++) clean.push(await openOnce(store, id));
  const killed: number[] = [];
  for (let round = 0; round < KILLED_ROUNDS; round++) {
    await holdAndKill(place.directory, id);
    killed.push(await openOnce(store, id));
  }
  return [figure(`fs.open.clean.${size}`, median(clean), 15), figure(`fs.open.killed.${size}`, median(killed), 150)];
}

async function openOnce(store: FsStore, id: string): Promise<number> {
  let state: ConversationState | undefined;
  const elapsed = await time(async () => {
    state = await ConversationState.open(await store.open(id, { owner: 'bench', create: 'never' }));
    const tail = await state.events.slice(-50);
    if (tail.length !== Math.min(50, state.events.length)) throw new Error('the tail is not there');
  });
  await state?.close();
  return elapsed;
}

/** Another process opens the conversation, appends, and is killed. */
async function holdAndKill(directory: string, id: string): Promise<void> {
  const program = join(import.meta.dirname, '..', 'hold-open-worker.js');
  const child = spawn(process.execPath, [program, directory, id], { stdio: ['ignore', 'pipe', 'inherit'] });
  const died = once(child, 'exit');
  await Promise.race([
    once(child.stdout, 'data'),
    died.then(() => Promise.reject(new Error('the owner ended by itself'))),
  ]);
  child.kill('SIGKILL');
  await died;
}

function figure(name: string, value: number, limit: number): Figure {
  return { name, value, unit: 'ms', baseline: null, ratio: null, target: { of: 'value', is: 'at most', limit } };
}
