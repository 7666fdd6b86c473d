import { CopyObjectCommand } from '@aws-sdk/client-s3';
import { ConversationState } from '@conv/core';
import { Author, commitIds } from '@conv/testing-harness';
import { expect, test } from 'vitest';
import { BUCKET, testBucket, type TestBucket } from './test-bucket.ts';

interface Strayed {
  readonly bucket: TestBucket;
  readonly author: Author;
}

/** A conversation whose last slot but one was copied to a place two behind its end. `isClosed`: its owner has closed it. */
async function strayed(isClosed: boolean): Promise<Strayed> {
  const bucket = await testBucket();
  const store = bucket.store();
  const { author, journal } = await Author.open(store);
  for (const text of ['one', 'two', 'three']) await author.say(journal, text);
  if (isClosed) await journal.close();
  const slots = bucket.server.keys(BUCKET).filter((key) => key.includes('/slot-'));
  const [from, last] = slots.slice(-2) as [string, string];
  const digits = String(Number(last.slice(-10)) + 2).padStart(10, '0');
  const Key = `${last.slice(0, -10)}${digits}`;
  await bucket.client.send(new CopyObjectCommand({ Bucket: BUCKET, Key, CopySource: `${BUCKET}/${from}` }));
  return { bucket, author };
}

test('P4: a check names a copy of a slot behind the end of its log, and a repair makes it no lost commit', async () => {
  const { bucket, author } = await strayed(true);
  const store = bucket.store();
  const finding = {
    part: 'log',
    severity: 'damaged',
    message: expect.stringContaining('copy of another slot') as string,
  };
  expect((await store.check(author.id)).findings).toEqual([{ ...finding, repaired: false }]);
  expect((await store.check(author.id, { repair: true })).findings).toEqual([{ ...finding, repaired: true }]);
  expect((await store.check(author.id)).findings).toEqual([]);
  const journal = await store.open(author.id, { owner: 'next' });
  const state = await ConversationState.open(journal, { id: author.id });
  await author.say(journal, 'four');
  expect(state.damaged).toBe(false);
  expect(journal.damage).toEqual([]);
  expect(await commitIds(journal)).toEqual(author.ids);
  await journal.close();
});

test('P4: a copy of a slot behind the end of a log that was not closed does not tell of lost commits', async () => {
  const { bucket, author } = await strayed(false);
  const reader = await bucket.store().read(author.id);
  if (!reader) throw new Error('expected the conversation to be there');
  expect(await commitIds(reader)).toEqual(author.ids);
  expect(reader.damage).toEqual([]);
  expect((await bucket.store().check(author.id)).findings).toMatchObject([{ part: 'log', severity: 'damaged' }]);
});
