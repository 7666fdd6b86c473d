import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Commit, Journal } from '@conv/core/store';
import { describe, expect, test } from 'vitest';
import type { SqliteStore } from '../src/index.ts';
import { Author, commitIds, message } from '@conv/testing-harness';
import { faultyDriver, findPlace, type Fault } from './faulty-driver.ts';
import { freshFolder, freshStore } from './fresh-folder.ts';
import { rawly } from './raw-database.ts';

interface Bench {
  readonly file: string;
  readonly store: SqliteStore;
  readonly author: Author;
  readonly journal: Journal;
  readonly folder: string;
  readonly meet: (fault: Fault) => void;
}

async function bench(): Promise<Bench> {
  const folder = await freshFolder();
  const store = await freshStore({ file: join(folder, 'conversations.db'), driver: faultyDriver({ folder }) });
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'author' });
  await author.begin(journal);
  return {
    file: store.file,
    store,
    author,
    journal,
    folder,
    meet: (fault) => writeFileSync(join(folder, 'fault'), fault),
  };
}

/** Appends several commits at once; resolves with the outcome of each. */
async function outcomes(author: Author, journal: Journal, count: number): Promise<readonly (string | undefined)[]> {
  const { fields } = author;
  const appended = Array.from({ length: count }, () =>
    journal.append({ id: randomUUID(), events: [message('m', null)] }, fields),
  );
  const settled = await Promise.allSettled(appended);
  return settled.map((one) => (one.status === 'rejected' ? (one.reason as { code: string }).code : undefined));
}

describe('an append that meets an error of the disk', () => {
  test.each(['fails', 'endsBefore'] as const)(
    'P1: a failed append rejects UNAVAILABLE with all after it, stores none, and the journal goes on: %s',
    async (fault) => {
      const { author, journal, store, meet } = await bench();
      meet(fault);
      expect(await outcomes(author, journal, 3)).toEqual(Array(3).fill('UNAVAILABLE'));
      expect(await commitIds(journal)).toEqual(author.ids);
      await author.say(journal, 'goes on');
      expect(await commitIds(journal)).toEqual(author.ids);
      expect(journal.lost.aborted).toBe(false);
      await expect(store.open(author.id, { owner: 'second' })).rejects.toMatchObject({ code: 'OWNED' });
    },
  );

  test.each(['answerLost', 'endsAfter'] as const)(
    'P1: an append that was stored resolves although its answer was lost: %s',
    async (fault) => {
      const { author, journal, meet } = await bench();
      meet(fault);
      await Promise.all([author.say(journal, 'a'), author.say(journal, 'b')]);
      await author.say(journal, 'goes on');
      expect(await commitIds(journal)).toEqual(author.ids);
      expect(author.acknowledged.map(({ seq }) => seq)).toEqual([0, 1, 2, 3]);
    },
  );

  test('P1: a stored append with unusual characters in its id resolves although its answer was lost', async () => {
    const { author, journal, meet } = await bench();
    meet('answerLost');
    const id = 'id "\u{1f468}\ud800\u0000';
    expect((await journal.append({ id, events: [] }, author.fields)).id).toBe(id);
    expect((await commitIds(journal)).at(-1)).toBe(id);
  });

  test('P1: an append rejects OUTCOME_UNKNOWN when its outcome cannot be found out', async () => {
    const { author, journal, meet } = await bench();
    meet('dead');
    expect(await outcomes(author, journal, 1)).toEqual(['OUTCOME_UNKNOWN']);
  });

  test('P1: an append rejects OUTCOME_UNKNOWN if its file cannot be looked up after the flush', async () => {
    const { author, journal, store, folder, meet } = await bench();
    meet('placeLost');
    const id = randomUUID();
    const appended = journal.append({ id, events: [] }, author.fields);
    await expect(appended).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', cause: expect.any(Error) as Error });
    findPlace(folder);
    expect(await commitIds(await store.read(author.id))).toEqual([...author.ids, id]);
    await expect(journal.append({ id: randomUUID(), events: [] }, author.fields)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('open the conversation again') as string,
    });
  });

  test('P2: the successor of a lost thread still owns all open conversations, and no other store gets them', async () => {
    const { author, journal, file, meet } = await bench();
    meet('endsAfter');
    await author.say(journal, 'stored');
    const other = await freshStore({ file: file });
    await expect(other.open(author.id, { owner: 'other' })).rejects.toMatchObject({ code: 'OWNED' });
    await journal.close();
    await other.open(author.id, { owner: 'other' });
  });
});

describe('a change of a whole conversation that meets an error of the disk', () => {
  type Change = (bench: Bench, id: string) => Promise<unknown>;
  const changes: readonly (readonly [string, Change])[] = [
    ['a creation', ({ store }, id) => store.open(id, { create: 'must', owner: 'author' })],
    ['a fork', ({ store, author }, id) => store.fork(author.id, id, { patch: {} })],
    ['a fork from an event', ({ store, author }, id) => forkFromLast(store, author, id)],
  ];
  const forkFromLast = async (store: SqliteStore, author: Author, id: string): Promise<void> => {
    const from = author.acknowledged.at(-1)?.events.at(-1)?.id ?? '';
    await store.fork(author.id, id, { from, patch: {} });
  };

  test.each(changes)('P1: %s resolves if it is durable and cannot be read for its mark', async (_, change) => {
    const made = await bench();
    await made.author.say(made.journal, 'an event');
    const id = randomUUID();
    made.meet('unread');
    await change(made, id);
    expect(await made.store.read(id)).toBeDefined();
  });

  describe.each(['answerLost', 'endsAfter', 'fails', 'endsBefore'] as const)('%s', (fault) => {
    test.each(changes)(`P1: %s whose COMMIT has no answer rejects OUTCOME_UNKNOWN: ${fault}`, async (_, change) => {
      const made = await bench();
      await made.author.say(made.journal, 'an event');
      const id = randomUUID();
      made.meet(fault);
      await expect(change(made, id)).rejects.toMatchObject({
        code: 'OUTCOME_UNKNOWN',
        message: expect.stringContaining(id) as string,
      });
      const isThere = (await made.store.read(id)) !== undefined;
      expect(isThere).toBe(fault === 'answerLost' || fault === 'endsAfter');
    });

    test(`a deletion whose COMMIT has no answer rejects OUTCOME_UNKNOWN: ${fault}`, async () => {
      const { store, author, journal, meet } = await bench();
      await journal.close();
      meet(fault);
      await expect(store.delete(author.id)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
      await store.delete(author.id);
      expect(await store.read(author.id)).toBeUndefined();
    });
  });
});

describe('a group', () => {
  test('P7: appends of several conversations that are under way together share a transaction', async () => {
    const { store, author, journal, folder } = await bench();
    const second = new Author();
    const other = await store.open(second.id, { owner: 'author' });
    await second.begin(other);
    const before = statSync(join(folder, 'commits')).size;
    const appended: Promise<Commit>[] = [];
    for (let at = 0; at < 20; at++) appended.push(author.say(journal, `a ${at}`), second.say(other, `b ${at}`));
    await Promise.all(appended);
    expect(statSync(join(folder, 'commits')).size).toBe(before + 1);
    expect(await commitIds(journal)).toEqual(author.ids);
    expect(await commitIds(other)).toEqual(second.ids);
  });

  test('P2: a fenced journal holds up no other journal in its group', async () => {
    const { file, store, author, journal } = await bench();
    const second = new Author();
    const other = await store.open(second.id, { owner: 'author' });
    rawly(file, (raw) => raw.exec(`UPDATE conversations SET epoch = epoch + 1 WHERE id = '${author.id}'`));
    const [fenced, stored] = await Promise.allSettled([author.say(journal, 'late'), second.begin(other)]);
    expect(fenced).toMatchObject({ status: 'rejected', reason: { code: 'FENCED' } });
    expect(stored).toMatchObject({ status: 'fulfilled' });
    expect(journal.lost.reason).toMatchObject({ code: 'FENCED' });
    expect(await commitIds(other)).toEqual(second.ids);
  });
});

describe('a full disk', () => {
  const large = 'x'.repeat(50_000);

  async function full(): Promise<{ store: SqliteStore; author: Author; journal: Journal; victim: string }> {
    const store = await freshStore({ driver: faultyDriver({ pages: 120 }) });
    const victim = new Author();
    const doomed = await store.open(victim.id, { owner: 'a' });
    await victim.begin(doomed);
    await victim.say(doomed, large, large);
    await doomed.close();
    const author = new Author();
    const journal = await store.open(author.id, { owner: 'a' });
    await author.begin(journal);
    return { store, author, journal, victim: victim.id };
  }

  test('P1: an append to a full disk rejects FULL, is not stored, and succeeds again when there is space', async () => {
    const { store, author, journal, victim } = await full();
    const { fields } = author;
    const add = (): Promise<Commit> => journal.append({ id: randomUUID(), events: [message(large, null)] }, fields);
    const stored: string[] = [...author.ids];
    const error: unknown = await (async () => {
      for (;;) stored.push((await add()).id);
    })().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'FULL', cause: expect.any(Error) as Error });
    expect(await commitIds(journal)).toEqual(stored);
    await store.delete(victim);
    for (let found = false; !found;) {
      const commit = await add().catch(() => undefined);
      if (commit) stored.push(commit.id);
      found = commit !== undefined;
    }
    expect(await commitIds(journal)).toEqual(stored);
  });

  test('P1: a commit that does not fit holds up no other journal in its group', async () => {
    const { store, author, journal } = await full();
    const small = new Author();
    const other = await store.open(small.id, { owner: 'a' });
    await small.begin(other);
    const huge = journal.append({ id: randomUUID(), events: [message('x'.repeat(900_000), null)] }, author.fields);
    const behind = journal.append({ id: randomUUID(), events: [] }, author.fields);
    const [first, second, third] = await Promise.allSettled([huge, behind, small.say(other, 'fits')]);
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'FULL' } });
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'FULL' } });
    expect(third).toMatchObject({ status: 'fulfilled' });
    expect(await commitIds(other)).toEqual(small.ids);
    expect(await commitIds(journal)).toEqual(author.ids);
  });
});

test('P1: an append to a removed or replaced file rejects and is not acknowledged', async () => {
  const store = await freshStore();
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'a' });
  await author.begin(journal);
  renameSync(store.file, `${store.file}.moved`);
  await expect(author.say(journal, 'nowhere')).rejects.toMatchObject({ code: 'FENCED' });
  expect(journal.lost.aborted).toBe(true);
  await expect(store.open(author.id, { owner: 'a' })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(existsSync(store.file) && readFileSync(store.file).length).toBe(false);
});
