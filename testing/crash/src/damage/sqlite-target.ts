import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { SqliteStore } from '@conv/persist-sqlite';

import { harmed, isGone } from './harm.ts';
import { inMemory } from './in-memory.ts';
import { LIVES, playLife } from './lives.ts';
import { SqliteOracle } from './sqlite-oracle.ts';
import type { DamageTarget, Recording } from './target.ts';
import { withThreadsHere } from './worker-here.ts';

/** The database, its write-ahead log, and the marks and settings beside it. */
const UNITS = ['', '-wal', '-ends', '-kept'] as const;

/** Short, so that a recorded owner is too old to count as alive. */
const TIMEOUT = 100;

/** Databases, in memory where the system has such a place. Each is restored in the file that it was recorded from: marks name it. */
export async function sqliteTarget(): Promise<DamageTarget> {
  const base = await mkdtemp(join(inMemory(), 'conv-damage-'));
  const { SqliteStore: Store } = await withThreadsHere(() => import('@conv/persist-sqlite'));
  const stores = new Set<SqliteStore>();
  const files = new Map<Recording, string>();
  const oracle = new SqliteOracle(join(base, 'oracle.db'));
  const open = (file: string): SqliteStore => {
    const store = new Store({ file, leaseTimeout: TIMEOUT });
    stores.add(store);
    return store;
  };
  const closeAll = async (): Promise<void> => {
    for (const store of stores) await store.close();
    stores.clear();
  };
  return {
    kind: 'sqlite',
    record: async (random) => {
      for (const { name, ending, steps } of LIVES) {
        const file = join(base, `${name.replaceAll(' ', '-')}.db`);
        await playLife({ ending, steps }, open(file), random, async (life) => {
          const units = new Map<string, Buffer>();
          for (const unit of UNITS)
            if (existsSync(file + unit)) units.set(`database${unit}`, await readFile(file + unit));
          files.set({ name, life, units }, file);
        });
      }
      // Until no recorded owner counts as alive: it was one of this process.
      await sleep(2 * TIMEOUT);
      return [...files.keys()];
    },
    restore: async (recording, harms) => {
      await closeAll();
      const file = files.get(recording) ?? '';
      await rm(`${file}-shm`, { force: true });
      for (const unit of UNITS) {
        const name = `database${unit}`;
        const bytes = recording.units.get(name);
        if (!bytes || isGone(name, harms)) {
          await rm(file + unit, { force: true });
          continue;
        }
        // in place: the marks hold for the file that they were written beside
        if (existsSync(file + unit)) await truncate(file + unit, 0);
        await writeFile(file + unit, harmed(name, bytes, harms), { flag: existsSync(file + unit) ? 'r+' : 'w' });
      }
      return open(file);
    },
    destroyed: (recording, harms) => oracle.destroyed(recording, harms),
    provenLost: (recording, harms) => oracle.proven(recording, harms),
    dispose: async () => {
      await closeAll();
      await rm(base, { recursive: true, force: true });
    },
  };
}
