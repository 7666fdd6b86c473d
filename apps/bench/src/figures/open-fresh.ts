import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';

import { ConversationState } from '@conv/core';
import { userMessage } from '@conv/core/events';
import type { ConversationStore } from '@conv/core/store';
import { SqliteStore } from '@conv/persist-sqlite';

import { median, timeBeside, type Figure } from '../figure.ts';
import { kilobyteEvent, Place } from '../place.ts';

const run = promisify(execFile);
/** Appends that wait for the disk together. */
const AT_ONCE = 500;
const PROGRAM = join(import.meta.dirname, '..', 'fresh-open-worker.js');

/** Ways to open a conversation, and the most that they may take, as a multiple of the bare way. */
const WAYS = { 'files-read': 3, 'sqlite-read': 5, 'files-own': 3, 'sqlite-own': 5 } as const;
type Way = keyof typeof WAYS;

/**
 * Opening a conversation in a new process and reading its last 50 events, for reading and as its owner, beside the same events read from a
 * plain table of SQLite. Imports are left out.
 */
export async function openInNewProcess(size: number, rounds: number): Promise<readonly Figure[]> {
  await using place = new Place();
  const { directory } = place;
  const sqlite = new SqliteStore({ file: join(directory, 'conversations.db') });
  const ids = {
    files: await madeOfSteps(place.store({ mirror: 'deferred' }), size),
    sqlite: await madeOfSteps(sqlite, size),
  };
  await sqlite.close();
  fillBare(join(directory, 'bare.db'), { log: ids.files, size });
  const ways = Object.keys(WAYS) as Way[];
  const idOf = (way: Way): string => (way.startsWith('files') ? ids.files : ids.sqlite);
  const openings = new Map<Way | 'bare', Opening[]>();
  const measure = async (way: Way | 'bare', id: string): Promise<void> => {
    const { stdout } = await run(process.execPath, [PROGRAM, way, directory, id]);
    openings.set(way, [...(openings.get(way) ?? []), JSON.parse(stdout) as Opening]);
  };
  for (let round = 0; round < rounds; round++) {
    await measure('bare', ids.files);
    for (const way of ways) await measure(way, idOf(way));
  }
  const medianOf = (way: Way | 'bare', member: keyof Opening): number =>
    median((openings.get(way) ?? []).map((opening) => opening[member]));
  return ways.flatMap((way) => {
    const [value, baseline] = [medianOf(way, 'elapsed'), medianOf('bare', 'elapsed')];
    const [used, bare] = [medianOf(way, 'processor'), medianOf('bare', 'processor')];
    return [
      timeBeside({ name: `open.fresh.${way}.${size}`, value, baseline, limit: WAYS[way] }),
      { name: `open.fresh.${way}.cpu.${size}`, value: used, unit: 'ms', baseline: bare, ratio: used / bare },
    ] satisfies readonly Figure[];
  });
}

/** Milliseconds of an opening, and those of the processor, which other programs hardly change. */
interface Opening {
  readonly elapsed: number;
  readonly processor: number;
}

/** Makes a conversation with so many events of about 1 KB, each in a commit of its own, as the steps of an agent write them. */
async function madeOfSteps(store: ConversationStore, size: number): Promise<string> {
  const id = randomUUID();
  const state = await ConversationState.open(await store.open(id, { owner: 'bench' }), { id });
  const draft = userMessage('x'.repeat(640), { sender: 'y'.repeat(60) });
  for (let made = 0; made < size; made += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, size - made) }, () => state.append([draft])));
  await state.close();
  return id;
}

/** Makes a table with as many events of about 1 KB as rows. */
function fillBare(file: string, { log, size }: { readonly log: string; readonly size: number }): void {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('CREATE TABLE rows (log TEXT, number INTEGER, body TEXT, PRIMARY KEY (log, number))');
  const insert = database.prepare('INSERT INTO rows VALUES (?, ?, ?)');
  database.exec('BEGIN');
  for (let number = 0; number < size; number++) insert.run(log, number, JSON.stringify(kilobyteEvent(null)));
  database.exec('COMMIT');
  database.close();
}
