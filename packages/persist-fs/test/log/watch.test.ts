import { toCommitSeq } from '@conv/core/store';
import { expect, onTestFinished, test } from 'vitest';
import { FsStore } from '../../src/index.ts';
import { Author } from '../support/conversation-author.ts';
import { freshFolder } from '../support/fresh-folder.ts';

test('P7: a watch includes commits that are appended while it hands out earlier ones', async () => {
  const store = new FsStore({ directory: await freshFolder() });
  onTestFinished(() => store.close());
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'writer' });
  await author.begin(journal);
  const watching = new AbortController();
  const seen: string[] = [];
  for await (const { id, seq } of journal.watch(toCommitSeq(0), watching.signal)) {
    seen.push(id);
    if (seq === 0) for (const text of ['a', 'b', 'c']) await author.say(journal, text);
    if (seq === 3) watching.abort();
  }
  expect(seen).toEqual(author.acknowledged.map((commit) => commit.id));
});
