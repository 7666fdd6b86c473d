import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { SqliteStore } from '../src/index.ts';
import { Author } from '@conv/testing-harness';
import { faultyDriver } from './faulty-driver.ts';
import { freshStore } from './fresh-folder.ts';
import { lostOf } from './opened-both.ts';

describe('a conversation that is deleted while another process opens the database', () => {
  /** Makes a store that is about to open the database and has read the marks beside it. */
  async function opening(file: string): Promise<{ readonly store: SqliteStore; readonly goOn: () => void }> {
    const folder = dirname(file);
    writeFileSync(`${folder}/hold`, '');
    const store = await freshStore({ file, driver: faultyDriver({ folder }) });
    return { store, goOn: () => rmSync(`${folder}/hold`) };
  }

  test.each([false, true])(
    'P4: a deleted conversation does not count as lost, even when its id is used again: %s',
    async (anew) => {
      const first = await freshStore();
      const author = new Author();
      const journal = await first.open(author.id, { owner: 'author' });
      await author.begin(journal);
      for (let at = 0; at < 5; at++) await author.say(journal, `message ${at}`);
      await journal.close();
      const { store, goOn } = await opening(first.file);
      const listed = store.list();
      await vi.waitUntil(() => existsSync(`${dirname(first.file)}/held`), { timeout: 100_000 });
      await first.delete(author.id);
      if (anew) await (await first.open(author.id, { owner: 'author', create: 'must' })).close();
      goOn();
      expect((await listed).items).toHaveLength(anew ? 1 : 0);
      await store.close();
      const third = await freshStore({ file: first.file });
      const reader = await third.read(author.id);
      expect(reader && { seq: reader.end.seq, lost: lostOf(reader) }).toEqual(anew ? { seq: 0, lost: [] } : undefined);
    },
  );
});
