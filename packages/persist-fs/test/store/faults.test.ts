import { randomUUID } from 'node:crypto';
import { isStoreError, toConversationKey } from '@conv/core/store';
import { FaultyDisk, SimulatedDisk, type Fault, type Operation } from '@conv/testing-disk';
import { describe, expect, test } from 'vitest';
import { FsStore, type Disk } from '../../src/index.ts';
import { Author, commitIds, message } from '../support/conversation-author.ts';

const ROOT = '/store';

/** A store on a disk whose operations fail as `fault` says at the time. */
class Bench {
  fault: (operation: Operation) => Fault | undefined = () => undefined;
  readonly disk = new SimulatedDisk({ fault: (operation) => this.fault(operation) });
  readonly store = new FsStore({ directory: ROOT, disk: this.disk });
  readonly author = new Author();
}

const onLog = ({ kind, path }: Operation): boolean => kind === 'write' && path.endsWith('.wal');

test('P2: a conversation whose owner has not begun its log yet is owned, also for a store that makes none', async () => {
  const bench = new Bench();
  const { author, store, disk } = bench;
  const codes: unknown[] = [];
  let second: Promise<void> | undefined;
  bench.fault = ({ kind }) => {
    if (kind !== 'syncFolder' || second) return undefined;
    const others = new FsStore({ directory: ROOT, disk });
    second = (async () => {
      for (const create of ['must', 'never', 'ifMissing'] as const)
        await others
          .open(author.id, { create, owner: 'second' })
          .catch((error: unknown) => codes.push(Object(error).code));
    })();
    return undefined;
  };
  const journal = await store.open(author.id, { owner: 'first' });
  await second;
  expect(codes).toEqual(['EXISTS', 'OWNED', 'OWNED']);
  await author.begin(journal);
  await store.close();
});

describe('a full disk', () => {
  test.each([
    ['no byte fits', (): Fault => ({ code: 'ENOSPC' })],
    ['half of the frame fits', (): Fault => ({ bytes: 60 })],
  ])('P4: an append when %s rejects FULL, and the journal goes on when there is space', async (_, failure) => {
    const bench = new Bench();
    const { author, store } = bench;
    const journal = await store.open(author.id, { owner: 'writer' });
    await author.begin(journal);
    let failures = 0;
    bench.fault = (operation) => {
      if (!onLog(operation)) return undefined;
      return failures++ === 0 ? failure() : { code: 'ENOSPC' };
    };
    const refused = { id: randomUUID(), events: [message('refused', null)] };
    await expect(journal.append(refused, author.fields)).rejects.toMatchObject({ code: 'FULL' });
    await expect(journal.append(refused, author.fields)).rejects.toMatchObject({ code: 'FULL' });
    bench.fault = () => undefined;
    await author.say(journal, 'there is space again');
    expect(await commitIds(journal)).toEqual(author.acknowledged.map(({ id }) => id));
    expect(journal.lost.aborted).toBe(false);
    await journal.close();
    expect(await commitIds(await reopened(store, author.id))).toEqual(author.acknowledged.map(({ id }) => id));
  });

  test('P1: the first commits of a group that fits in part on a full disk are stored, the rest is refused', async () => {
    const bench = new Bench();
    const { author, store } = bench;
    const journal = await store.open(author.id, { owner: 'writer' });
    await author.begin(journal);
    let writes = 0;
    bench.fault = (operation) =>
      onLog(operation) ? (writes++ === 0 ? { bytes: 1000 } : { code: 'ENOSPC' }) : undefined;
    const results = await Promise.allSettled(
      Array.from({ length: 6 }, (_, at) => author.say(journal, `message ${at} ${'x'.repeat(100)}`)),
    );
    const stored = results.filter(({ status }) => status === 'fulfilled').length;
    expect(stored).toBeGreaterThan(0);
    expect(stored).toBeLessThan(6);
    expect(results.slice(stored).every((one) => one.status === 'rejected' && isStoreError(one.reason, 'FULL'))).toBe(
      true,
    );
    bench.fault = () => undefined;
    expect(await commitIds(journal)).toEqual(author.acknowledged.map(({ id }) => id));
    await store.close();
  });
});

describe('a failed flush', () => {
  test('P1: a failed flush rejects UNAVAILABLE, and bytes that it left are not part of the log', async () => {
    const bench = new Bench();
    const { author, store } = bench;
    const journal = await store.open(author.id, { owner: 'writer' });
    await author.begin(journal);
    let failed = false;
    bench.fault = ({ site }) => (site === 'group' && !failed ? ((failed = true), { code: 'EIO' }) : undefined);
    const refused = { id: randomUUID(), events: [message('refused', null)] };
    await expect(journal.append(refused, author.fields)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      cause: { code: 'EIO' },
    });
    await author.say(journal, 'in a new file');
    expect(await commitIds(journal)).toEqual(author.acknowledged.map(({ id }) => id));
    await journal.close();
    expect(await commitIds(await reopened(store, author.id))).toEqual(author.acknowledged.map(({ id }) => id));
  });

  test('P1: a commit in the new file resolves although no file can be opened', async () => {
    const bench = new Bench();
    const { author } = bench;
    let isOutOfFiles = false;
    const faulty = new FaultyDisk<Disk>(bench.disk, ({ name }) =>
      isOutOfFiles && name === 'open' ? 'EMFILE' : undefined,
    );
    const store = new FsStore({ directory: ROOT, disk: faulty.disk });
    const journal = await store.open(author.id, { owner: 'writer' });
    await author.begin(journal);
    let failed = false;
    bench.fault = ({ site }) => (site === 'group' && !failed ? ((failed = true), { code: 'EIO' }) : undefined);
    const refused = { id: randomUUID(), events: [message('refused', null)] };
    await expect(journal.append(refused, author.fields)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    isOutOfFiles = true;
    await author.say(journal, 'in a new file');
    isOutOfFiles = false;
    expect(await commitIds(journal)).toEqual(author.acknowledged.map(({ id }) => id));
    await journal.close();
    expect(await commitIds(await reopened(store, author.id))).toEqual(author.acknowledged.map(({ id }) => id));
  });

  test('P1: a durable commit rejects OUTCOME_UNKNOWN when the last look for a successor fails', async () => {
    const bench = new Bench();
    const { author } = bench;
    let isBlind = false;
    const faulty = new FaultyDisk<Disk>(bench.disk, ({ name, subject }) =>
      isBlind && name === 'stat' && subject.endsWith('.wal') ? 'EIO' : undefined,
    );
    const store = new FsStore({ directory: ROOT, disk: faulty.disk });
    const journal = await store.open(author.id, { owner: 'writer' });
    await author.begin(journal);
    bench.fault = ({ site }) => void (isBlind ||= site === 'mirror state');
    const guarded = author.change(journal, { set: { confirmationPolicy: { kind: 'AlwaysConfirm' } } });
    await expect(guarded).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', cause: { code: 'EIO' } });
    isBlind = false;
    bench.fault = () => undefined;
    expect(await commitIds(journal)).toHaveLength(2);
    await store.close();
  });

  test('P1: a failed flush rejects OUTCOME_UNKNOWN when not even a new file can be begun', async () => {
    const bench = new Bench();
    const { author, store } = bench;
    const journal = await store.open(author.id, { owner: 'writer' });
    await author.begin(journal);
    bench.fault = ({ kind }) => (kind === 'sync' || kind === 'syncFolder' ? { code: 'EIO' } : undefined);
    const unknown = { id: randomUUID(), events: [message('who knows', null)] };
    await expect(journal.append(unknown, author.fields)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    bench.fault = () => undefined;
    await author.say(journal, 'settled');
    expect(await commitIds(journal)).toEqual(author.acknowledged.map(({ id }) => id));
    await store.close();
  });

  test('appends that were made before a rejection are rejected with it', async () => {
    const bench = new Bench();
    const { author, store } = bench;
    const journal = await store.open(author.id, { owner: 'writer' });
    await author.begin(journal);
    bench.fault = ({ site }) => (site === 'group' ? { code: 'EIO' } : undefined);
    const first = author.say(journal, 'one');
    await Promise.resolve();
    const later = [author.say(journal, 'two'), author.say(journal, 'three')];
    const results = await Promise.allSettled([first, ...later]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    bench.fault = () => undefined;
    expect(await commitIds(journal)).toEqual(author.acknowledged.map(({ id }) => id));
    await store.close();
  });
});

describe('a place that may not be written', () => {
  test.each(['EROFS', 'EACCES', 'EPERM'])(
    'P13: the error %s becomes DENIED and keeps its cause, and the place may still be read',
    async (code) => {
      const bench = new Bench();
      const { author, store } = bench;
      const journal = await store.open(author.id, { owner: 'writer' });
      await author.begin(journal);
      await journal.close();
      bench.fault = ({ kind }) => (kind === 'sync' || kind === 'syncFolder' ? undefined : { code });
      const failed = store.open(author.id, { owner: 'next' });
      await expect(failed).rejects.toMatchObject({ code: 'DENIED', cause: { code } });
      await expect(failed).rejects.toThrow(author.id);
      expect(await commitIds(await readerOf(store, author.id))).toEqual(author.acknowledged.map(({ id }) => id));
      bench.fault = () => undefined;
      await store.close();
    },
  );

  test('P12: an event that the index has no room for is located in the log', async () => {
    const bench = new Bench();
    const { author, store } = bench;
    const journal = await store.open(author.id, { owner: 'writer' });
    await author.begin(journal);
    bench.fault = ({ kind, path }) => (kind === 'write' && path.endsWith('/index') ? { bytes: 0 } : undefined);
    await author.say(journal, 'not in the index');
    bench.fault = () => undefined;
    await author.say(journal, 'in the index');
    const events = author.acknowledged.flatMap((commit) => commit.events);
    for (const [at, event] of events.entries()) expect(await journal.locate(event.id)).toBe(at);
    expect(await journal.locate(randomUUID())).toBeUndefined();
    await store.close();
  });

  test('a disk that fails the mirror leaves the log alone, and the mirror is repaired', async () => {
    const bench = new Bench();
    const { author, store, disk } = bench;
    const journal = await store.open(author.id, { owner: 'writer' });
    await author.begin(journal);
    bench.fault = ({ path }) =>
      path.includes('/events/') || /(base_state|meta)\.json/.test(path) ? { code: 'ENOSPC' } : undefined;
    await author.say(journal, 'only in the log');
    await author.change(journal, { set: { confirmationPolicy: { kind: 'AlwaysConfirm' } } });
    expect(await commitIds(journal)).toEqual(author.acknowledged.map(({ id }) => id));
    bench.fault = () => undefined;
    await store.mirrorComplete(author.id);
    expect(disk.list(`${ROOT}/${toConversationKey(author.id)}/events`)).toHaveLength(1);
    await store.close();
  });
});

async function readerOf(store: FsStore, id: string): Promise<NonNullable<Awaited<ReturnType<FsStore['read']>>>> {
  const reader = await store.read(id);
  if (!reader) throw new Error(`${id} is not there`);
  return reader;
}

function reopened(store: FsStore, id: string): ReturnType<FsStore['open']> {
  return store.open(id, { create: 'never', owner: 'next' });
}
