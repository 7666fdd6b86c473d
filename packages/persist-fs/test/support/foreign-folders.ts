import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConversationSummary } from '@conv/core/store';
import type { FsStore } from '../../src/index.ts';
import { freshFolder } from './fresh-folder.ts';

/** A number of conversations that take several turns to list. */
export const MANY = 600;

/** Returns the key of the conversation with this number. */
export function keyOf(number: number): string {
  return number.toString(16).padStart(32, '0');
}

/** A folder with conversations of OpenHands: each no more than its `meta.json`. */
export async function foreign(count: number): Promise<string> {
  const directory = await freshFolder();
  for (let number = 0; number < count; number++) {
    mkdirSync(join(directory, keyOf(number)));
    title(directory, number, `number ${number}`);
  }
  return directory;
}

/** Says it as OpenHands does: in place. */
export function title(directory: string, number: number, text: string): void {
  writeFileSync(
    join(directory, keyOf(number), 'meta.json'),
    JSON.stringify({ title: text, updated_at: '2026-01-01T00:00:00Z' }),
  );
}

/** Makes folders look older than a step of the clock, because younger folders are checked again. */
export function old(directory: string): void {
  execFileSync('find', [directory, '-exec', 'touch', '-d', '2026-01-01T00:00:00.5', '{}', '+']);
}

/** Resolves with the summaries of all pages. */
export async function all(store: FsStore): Promise<ConversationSummary[]> {
  const found: ConversationSummary[] = [];
  for (let page: string | undefined; ;) {
    const { items, next } = await store.list({
      limit: 100,
      sortBy: 'createdAt',
      ...(page === undefined ? {} : { page }),
    });
    found.push(...items);
    if (next === undefined) return found;
    page = next;
  }
}
