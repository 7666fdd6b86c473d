import { CopyObjectCommand } from '@aws-sdk/client-s3';
import { ConversationState } from '@conv/core';
import type { Journal } from '@conv/core/store';
import { Author, commitIds } from '@conv/testing-harness';
import { hold } from '@conv/testing-s3-server';
import { expect, test } from 'vitest';
import { BUCKET, testBucket, type TestBucket } from './test-bucket.ts';
import { TestClock } from './test-clock.ts';

interface Strayed {
  readonly bucket: TestBucket;
  readonly author: Author;
  readonly journal: Journal;
  /** Moves the clock of the service past the end of the owner's lease. The owner gives no heartbeat meanwhile. */
  readonly passLease: () => void;
}

/** A conversation whose last slot but one was copied to a place `behind` slots after its end. `isClosed`: its owner has closed it. */
async function strayed(isClosed: boolean, behind = 2): Promise<Strayed> {
  const clock = new TestClock();
  const bucket = await testBucket({ now: () => clock.now() });
  const { author, journal } = await Author.open(bucket.store({ platform: new TestClock() }));
  for (const text of ['one', 'two', 'three']) await author.say(journal, text);
  if (isClosed) await journal.close();
  const slots = bucket.server.keys(BUCKET).filter((key) => key.includes('/slot-'));
  const [from, last] = slots.slice(-2) as [string, string];
  const digits = String(Number(last.slice(-10)) + behind).padStart(10, '0');
  const Key = `${last.slice(0, -10)}${digits}`;
  await bucket.client.send(new CopyObjectCommand({ Bucket: BUCKET, Key, CopySource: `${BUCKET}/${from}` }));
  return { bucket, author, journal, passLease: () => clock.advance(60_000) };
}

/** Writes on over the place of the copy, and expects that no commit is lost, here and for the next owner. */
async function writesOn({ bucket, author }: Strayed, journal: Journal): Promise<void> {
  for (const text of ['four', 'five', 'six']) await author.say(journal, text);
  expect(journal.damage).toEqual([]);
  expect(await commitIds(journal)).toEqual(author.ids);
  await journal.close();
  const next = await bucket.store().open(author.id, { owner: 'the next owner' });
  const state = await ConversationState.open(next, { id: author.id });
  expect([state.damaged, next.damage]).toEqual([false, []]);
  expect(await commitIds(next)).toEqual(author.ids);
  await author.say(next, 'seven');
  expect((await bucket.store().check(author.id)).findings).toEqual([]);
  await next.close();
}

test('P4: a check names a copy of a slot after the end of its log, and a repair makes it no lost commit', async () => {
  const { bucket, author } = await strayed(true);
  const store = bucket.store();
  const finding = {
    part: 'log',
    severity: 'damaged',
    message: expect.stringContaining('header names another slot') as string,
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

test('P4: a copy of a slot after the end of a log that was not closed does not tell of lost commits', async () => {
  const { bucket, author } = await strayed(false);
  const reader = await bucket.store().read(author.id);
  if (!reader) throw new Error('expected the conversation to be there');
  expect(await commitIds(reader)).toEqual(author.ids);
  expect(reader.damage).toEqual([]);
  expect((await bucket.store().check(author.id)).findings).toMatchObject([{ part: 'log', severity: 'damaged' }]);
});

test.each([1, 2])(
  'P4: an owner goes past a copy of a slot that is %i after the end of a closed log',
  async (behind) => {
    const made = await strayed(true, behind);
    const journal = await made.bucket.store().open(made.author.id, { owner: 'next' });
    await writesOn(made, journal);
  },
);

test.each([1, 2])('P4: an owner goes past a copy of a slot that comes %i after its own last slot', async (behind) => {
  const made = await strayed(false, behind);
  await writesOn(made, made.journal);
});

test('P2: an owner that goes past a copy of a slot finds the next owner', async () => {
  const { bucket, author, journal, passLease } = await strayed(false, 1);
  passLease();
  const next = await bucket.store().open(author.id, { owner: 'next' });
  await expect(author.say(journal, 'late')).rejects.toMatchObject({ code: 'FENCED' });
  await next.close();
});

test('P4: a copy of a slot right after the end of a closed log is named and removed', async () => {
  const { bucket, author } = await strayed(true, 1);
  expect((await bucket.store().check(author.id)).findings).toMatchObject([{ part: 'log', severity: 'damaged' }]);
  expect((await bucket.store().check(author.id, { repair: true })).findings).toMatchObject([{ repaired: true }]);
  expect((await bucket.store().check(author.id)).findings).toEqual([]);
});

test('P1: a late repair that removes a copy of a slot leaves a newer slot of an owner alone', async () => {
  const { bucket, author } = await strayed(true, 3);
  const removal = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  bucket.server.faults = ({ operation }) => {
    if (!operation.startsWith('Delete')) return undefined;
    arrived.resolve();
    bucket.server.faults = undefined;
    return hold(removal.promise);
  };
  const late = bucket.store().check(author.id, { repair: true });
  await arrived.promise;
  await bucket.store().check(author.id, { repair: true });
  const journal = await bucket.store().open(author.id, { owner: 'next' });
  for (const text of ['four', 'five', 'six']) await author.say(journal, text);
  removal.resolve();
  await expect(late).rejects.toMatchObject({ code: 'OWNED' });
  expect(await commitIds(journal)).toEqual(author.ids);
  await journal.close();
  const reader = await bucket.store().read(author.id);
  expect(reader && [await commitIds(reader), reader.damage]).toEqual([author.ids, []]);
});

test('P1: a repair removes no copy of a slot on a service that would remove a newer version in its place', async () => {
  const { bucket, author } = await strayed(true, 3);
  const ignored = 'ignored condition';
  bucket.client.middlewareStack.add(
    (next, { commandName }) =>
      ({ input, ...args }) =>
        next({ ...args, input: commandName === 'DeleteObjectCommand' ? { ...input, IfMatch: undefined } : input }),
    { step: 'initialize', name: ignored },
  );
  const before = bucket.server.keys(BUCKET);
  const { findings } = await bucket.store().check(author.id, { repair: true });
  expect(findings).toMatchObject([{ repaired: false, message: expect.stringContaining('no conditional deletes') }]);
  expect(bucket.server.keys(BUCKET)).toEqual(expect.arrayContaining([...before]));
  bucket.client.middlewareStack.remove(ignored);
  expect((await bucket.store().check(author.id, { repair: true })).findings).toMatchObject([{ repaired: true }]);
});
