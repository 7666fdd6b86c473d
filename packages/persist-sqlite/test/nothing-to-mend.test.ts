import { readFile } from 'node:fs/promises';
import { MemoryStore } from '@conv/core/store';
import { checkStore, copyConversation } from '@conv/store-kit';
import { Author } from '@conv/testing-harness';
import { expect, test } from 'vitest';
import { freshStore } from './fresh-folder.ts';

test('a repair that finds nothing, and a copy that is refused, leave every byte of the file as it is', async () => {
  const source = new MemoryStore();
  const { author, journal } = await Author.open(source);
  await author.say(journal, 'one');
  const { file, ...store } = await copiedTo(source, author.id);
  await author.say(journal, 'here');
  await store.goOn(author.id);
  const before = await readFile(file);
  const again = await freshStore({ file });
  const found = (await Array.fromAsync(checkStore(again, { repair: true }))).flatMap(({ findings }) => findings);
  expect(found).toEqual([]);
  await expect(copyConversation(author.id, source, again)).rejects.toMatchObject({ code: 'EXISTS' });
  await again.close();
  expect((await readFile(file)).equals(before)).toBe(true);
});

interface CopiedTo {
  readonly file: string;
  /** Writes on in the copy, and closes its store. */
  readonly goOn: (id: string) => Promise<void>;
}

/** Copies a conversation into a new file. */
async function copiedTo(source: MemoryStore, id: string): Promise<CopiedTo> {
  const store = await freshStore();
  await copyConversation(id, source, store);
  const goOn = async (): Promise<void> => {
    const journal = await store.open(id, { owner: 'author' });
    await new Author(id).say(journal, 'there');
    await store.close();
  };
  return { file: store.file, goOn };
}
