import type { Commit } from '@conv/core/store';
import { expect, test } from 'vitest';
import { FsStore } from '../../src/index.ts';
import { Author } from '../support/conversation-author.ts';
import { freshFolder } from '../support/fresh-folder.ts';

/** Characters of the messages of a log that is read in several chunks; one message is longer than a chunk. */
const SIZES = [10, 90_000, 7, 120_000, 80_000, 300_000, 1, 100_000, 200_000, 50, 60_000];

test('commits stay as they were read while two readers go on in a log of several chunks', async () => {
  const store = new FsStore({ directory: await freshFolder() });
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'author' });
  await author.begin(journal);
  for (const [at, size] of SIZES.entries()) await author.say(journal, String.fromCodePoint(97 + at).repeat(size));

  const reader = await store.read(author.id);
  const [ahead, behind]: [Commit[], Commit[]] = [[], []];
  const others = (reader ?? journal).commits({ from: author.acknowledged[4]?.seq })[Symbol.asyncIterator]();
  for await (const commit of (reader ?? journal).commits()) {
    ahead.push(commit);
    const { value } = await others.next();
    if (value) behind.push(value);
  }
  expect(ahead).toEqual(author.acknowledged);
  expect(behind).toEqual(author.acknowledged.slice(4));
  await store.close();
});
