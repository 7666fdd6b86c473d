import { systemPlatform, type Platform } from '@conv/core/platform';
import type { Journal } from '@conv/core/store';
import { flushPace } from '@conv/store-kit';
import { Author } from '@conv/testing-harness';
import { onTestFinished } from 'vitest';
import type { SqliteStore, SqliteStoreOptions } from '../src/index.ts';
import { freshStore } from './fresh-folder.ts';

/** A store that owns its first conversation. */
export interface Owned {
  readonly store: SqliteStore & { readonly file: string };
  readonly author: Author;
  readonly journal: Journal;
  /** Returns the number of threads that were started for the owner. */
  readonly started: () => number;
  /** Sets the time that each look at the clock takes, in milliseconds. */
  readonly takes: (milliseconds: number) => void;
}

/** Resolves with the file of a store with one conversation, which no process has open, and its author. */
export async function written(
  options: Partial<SqliteStoreOptions> = {},
): Promise<{ readonly file: string; readonly author: Author }> {
  const store = await freshStore(options);
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'author' });
  await author.begin(journal);
  await journal.close();
  await store.close();
  return { file: store.file, author };
}

/** Counts the threads that are started from now on. */
export function threads(): () => number {
  let started = 0;
  const count = (): void => void started++;
  process.on('worker', count);
  onTestFinished(() => void process.off('worker', count));
  return () => started;
}

/** Makes the last flushes of the process fast. */
export function flushFast(): void {
  for (let flush = 0; flush < 50; flush++) flushPace.flushed({}, 0, 0, false);
}

/** Opens a conversation that is there as the first one of a store, whose flushes are fast, and whose thread starts when it is needed. */
export async function owned(options: Partial<SqliteStoreOptions> = {}): Promise<Owned> {
  const { file, author } = await written(options.file === undefined ? {} : { file: options.file });
  let [now, step] = [1000, 0.5];
  const platform: Platform = {
    ...systemPlatform,
    monotonic: () => (now += step),
    setTimer: (milliseconds, work, timer) => systemPlatform.setTimer(timer?.background ? Infinity : milliseconds, work),
  };
  const started = threads();
  const store = await freshStore({ file, platform, ...options });
  const journal = await store.open(author.id, { owner: 'next' });
  // the last flushes of the process are long ago, and took a moment
  flushFast();
  return { store, author, journal, started, takes: (milliseconds) => void (step = milliseconds) };
}
