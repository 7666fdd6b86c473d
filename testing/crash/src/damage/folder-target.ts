import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { toConversationKey, type ConversationStore } from '@conv/core/store';
import { FsStore } from '@conv/persist-fs';
import type { Random } from '@conv/testing-harness';

import { destroyedIn, provenIn } from './folder-oracle.ts';
import { harmed } from './harm.ts';
import { inMemory } from './in-memory.ts';
import { lifeOf, live } from './live.ts';
import type { DamageTarget, Harm, Recording } from './target.ts';

/** Files that hold nothing of a conversation: another owner writes them anew. */
const NO_DATA = /owner_lease\.json$/;

/** A date behind every owner's last word. */
const LATER = new Date('2099-01-01');

/** Folders, in memory where the system has such a place: nothing here is about the device. */
export async function folderTarget(): Promise<DamageTarget> {
  const base = await mkdtemp(join(inMemory(), 'conv-damage-'));
  const stores = new Set<FsStore>();
  const storeIn = (directory: string): FsStore => {
    const store = new FsStore({ directory });
    stores.add(store);
    return store;
  };
  return {
    kind: 'fs',
    record: async (random) => [
      await recorded('closed', base, random, storeIn),
      await recorded('killed', base, random, storeIn),
      await recorded('taken over', base, random, storeIn),
      await recorded('taken over and killed', base, random, storeIn),
    ],
    restore: async (recording, harms) => {
      for (const store of stores) await store.close();
      stores.clear();
      const directory = join(base, 'case');
      await rm(directory, { recursive: true, force: true });
      await write(recording, harms, join(directory, toConversationKey(recording.life.id)));
      return storeIn(directory) as ConversationStore;
    },
    provenLost: provenIn,
    destroyed: destroyedIn,
    dispose: async () => {
      for (const store of stores) await store.close();
      await rm(base, { recursive: true, force: true });
    },
  };
}

async function recorded(
  name: string,
  base: string,
  random: Random,
  storeIn: (directory: string) => FsStore,
): Promise<Recording> {
  const directory = join(base, name.replaceAll(' ', '-'));
  const id = randomUUID();
  const store = storeIn(directory);
  let state = await live(await store.open(id, { owner: 'first' }), id, random, 6);
  if (name.startsWith('taken over')) {
    await state.close();
    state = await live(await store.open(id, { owner: 'second' }), id, random, 4);
  }
  await store.mirrorComplete(id);
  const life = await lifeOf(state);
  const folder = join(directory, toConversationKey(id));
  if (name.endsWith('killed')) {
    const units = await bytesIn(folder);
    await store.close();
    return { name, life, units };
  }
  await state.close();
  await store.close();
  return { name, life, units: await bytesIn(folder) };
}

async function bytesIn(folder: string): Promise<Map<string, Buffer>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const units = new Map<string, Buffer>();
  for (const entry of names) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1);
    if (entry.isFile() && !NO_DATA.test(name)) units.set(name, await readFile(path));
  }
  return units;
}

async function write({ units }: Recording, harms: readonly Harm[], folder: string): Promise<void> {
  await mkdir(join(folder, 'events'), { recursive: true });
  await mkdir(join(folder, '.conv'), { recursive: true });
  for (const [name, bytes] of units) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, harmed(name, bytes, harms));
    // what strikes a log comes after its owner's last word; a log as old as that is taken for a copy made while it was written
    if (name.endsWith('.wal')) await utimes(path, LATER, LATER);
  }
}
