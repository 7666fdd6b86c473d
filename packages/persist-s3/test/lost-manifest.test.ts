import { randomUUID } from 'node:crypto';
import { MemoryStore, type ConversationStore, type Finding } from '@conv/core/store';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { checkStore, copyStore } from '@conv/store-kit';
import { Author } from '@conv/testing-harness';
import { expect, test } from 'vitest';
import { BUCKET, testBucket, type TestBucket } from './test-bucket.ts';

/** Two conversations, of which the first has lost its manifest, and a third that was deleted. */
async function withLostManifest(): Promise<{
  readonly bucket: TestBucket;
  readonly lost: string;
  readonly whole: string;
}> {
  const bucket = await testBucket();
  const store = bucket.store();
  const [lost, whole, deleted] = [await written(store), await written(store), await written(store)];
  await store.delete(deleted);
  await store.close();
  bucket.server.damage(BUCKET, `manifests/${lost.replaceAll('-', '')}.json`, () => undefined);
  return { bucket, lost, whole };
}

/** Resolves with the id of a new conversation. */
async function written(store: ConversationStore): Promise<string> {
  const { author, journal } = await Author.open(store);
  await author.say(journal, 'one');
  await journal.close();
  return author.id;
}

async function findingsOf(store: ConversationStore, repair: boolean): Promise<readonly Finding[]> {
  return (await Array.fromAsync(checkStore(store, { repair }))).flatMap(({ findings }) => findings);
}

async function listed(store: ConversationStore): Promise<readonly string[]> {
  return (await store.list()).items.map(({ id }) => id).toSorted();
}

test('P4: a check of the whole store names a conversation without its manifest, and a repair restores it', async () => {
  const { bucket, lost, whole } = await withLostManifest();
  const store = bucket.store();
  expect(await listed(store)).toEqual([whole]);
  const [found, ...others] = await findingsOf(store, false);
  expect(found).toMatchObject({ part: 'manifest', severity: 'damaged', repaired: false });
  expect(found?.message).toContain(lost.replaceAll('-', ''));
  expect(others).toEqual([]);
  expect(await findingsOf(store, true)).toMatchObject([{ part: 'manifest', repaired: true }]);
  expect(await listed(store)).toEqual([lost, whole].toSorted());
  expect(await findingsOf(store, false)).toEqual([]);
});

test('P4: a copy of a store has an error for a conversation without its manifest, and copies the others', async () => {
  const { bucket, lost, whole } = await withLostManifest();
  const target = new MemoryStore();
  const copies = await Array.fromAsync(copyStore(bucket.store(), target));
  const errors = new Map(copies.map(({ id, error }) => [id, error?.code]));
  expect(errors).toEqual(
    new Map([
      [lost, 'CORRUPT'],
      [whole, undefined],
    ]),
  );
  expect(await listed(target)).toEqual([whole]);
});

test('P4: objects of a fork that was not made are not taken for a conversation without its manifest', async () => {
  const { bucket, lost, whole } = await withLostManifest();
  const store = bucket.store();
  await store.check(lost, { repair: true });
  const Key = `logs/${randomUUID().replaceAll('-', '')}/instance/pack-1`;
  await bucket.client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: 'a pack' }));
  expect(await findingsOf(store, true)).toEqual([]);
  expect(await listed(store)).toEqual([lost, whole].toSorted());
});
