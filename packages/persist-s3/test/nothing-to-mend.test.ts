import { copyConversation } from '@conv/store-kit';
import { Author } from '@conv/testing-harness';
import { expect, test } from 'vitest';
import { BUCKET, testBucket, type TestBucket } from './test-bucket.ts';

/** A closed conversation, and its copy in another bucket. */
async function copied(): Promise<{ readonly source: TestBucket; readonly target: TestBucket; readonly id: string }> {
  const [source, target] = [await testBucket(), await testBucket()];
  const store = source.store();
  const { author, journal } = await Author.open(store);
  await author.say(journal, 'one');
  await journal.close();
  await copyConversation(author.id, store, target.store());
  return { source, target, id: author.id };
}

/** The objects of conversations, with their bytes. Heartbeats and trials of stores are none. */
function objectsIn({ server }: TestBucket): ReadonlyMap<string, string> {
  const keys = server.keys(BUCKET).filter((key) => /^(manifests|logs)\//.test(key));
  expect(keys.length).toBeGreaterThan(1);
  return new Map(keys.map((key) => [key, server.body(BUCKET, key).toString()]));
}

async function writeOn(bucket: TestBucket, id: string, text: string): Promise<void> {
  const journal = await bucket.store().open(id, { owner: 'author' });
  await new Author(id).say(journal, text);
  await journal.close();
}

test('a repair that finds nothing, and a second copy of the same, leave every object as it is', async () => {
  const { source, target, id } = await copied();
  const before = objectsIn(target);
  expect((await target.store().check(id, { repair: true })).findings).toEqual([]);
  expect(objectsIn(target)).toEqual(before);
  expect(await copyConversation(id, source.store(), target.store())).toMatchObject({ written: 0 });
  expect(objectsIn(target)).toEqual(before);
});

test('a copy that is refused because its target continues differently leaves every object as it is', async () => {
  const { source, target, id } = await copied();
  await writeOn(source, id, 'here');
  await writeOn(target, id, 'there');
  const before = objectsIn(target);
  await expect(copyConversation(id, source.store(), target.store())).rejects.toMatchObject({ code: 'EXISTS' });
  expect(objectsIn(target)).toEqual(before);
});
