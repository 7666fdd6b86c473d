import { randomUUID } from 'node:crypto';

import { expect, test } from 'vitest';

import { systemPlatform } from '@conv/core/platform';
import { Author } from '../src/store/author.ts';
import {
  MemoryStore,
  StoreError,
  toEventIndex,
  type CheckedConversation,
  type ConversationStore,
  type JournalReader,
} from '@conv/core/store';
import { checkStore, type StoreCheckOptions, checkJournal } from '@conv/store-kit';

/** A store of three conversations with 1, 2 and 3 commits after the first; their ids in the order of the check. */
async function threeConversations(): Promise<{ readonly store: MemoryStore; readonly ids: readonly string[] }> {
  const store = new MemoryStore();
  const ids = [randomUUID(), randomUUID(), randomUUID()].sort();
  for (const [at, id] of ids.entries()) {
    const author = await Author.begin(systemPlatform, store, { id });
    for (let more = 0; more <= at; more++) await author.append({ events: 2 });
    await author.journal.close();
  }
  return { store, ids };
}

async function checked(store: ConversationStore, options?: StoreCheckOptions): Promise<readonly CheckedConversation[]> {
  return Array.fromAsync(checkStore(store, options));
}

/** The store with another `check`. */
function checking(store: MemoryStore, check: ConversationStore['check']): ConversationStore {
  return new Proxy(store, {
    get: (target, key) => {
      if (key === 'check') return check;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

test('a check of a store looks at what all share and then at each conversation in the order of the ids', async () => {
  const { store, ids } = await threeConversations();
  expect(await checked(store)).toEqual([
    { id: undefined, commits: 0, events: 0, findings: [], error: undefined },
    { id: ids[0], commits: 2, events: 2, findings: [], error: undefined },
    { id: ids[1], commits: 3, events: 4, findings: [], error: undefined },
    { id: ids[2], commits: 4, events: 6, findings: [], error: undefined },
  ]);
});

test('a check that was broken off continues after the last conversation that it had looked at', async () => {
  const { store, ids } = await threeConversations();
  const found = await checked(store, { after: ids[1] as string });
  expect(found.map(({ id }) => id)).toEqual([ids[2]]);
});

test('a check tells how many conversations are done, and how far it is in the present conversation', async () => {
  const { store, ids } = await threeConversations();
  const told: unknown[] = [];
  await checked(store, { onProgress: (progress) => told.push(progress) });
  expect(told).toEqual(ids.map((id, at) => ({ id, done: at + 2, of: at + 2, conversations: { done: at, of: 3 } })));
});

test('a rejection of one conversation becomes its result, and the others are looked at', async () => {
  const { store, ids } = await threeConversations();
  const [corrupt, owned] = [new StoreError('CORRUPT', 'no log'), new StoreError('OWNED', 'by another')];
  const failing = checking(store, async (id, options) => {
    if (id === ids[0]) throw corrupt;
    if (id === ids[1]) throw owned;
    return store.check(id, options);
  });
  const found = await checked(failing);
  expect(found.map(({ error, findings }) => ({ error, findings }))).toEqual([
    { error: undefined, findings: [] },
    { error: undefined, findings: [{ part: 'log', severity: 'lost', message: '[CORRUPT] no log', repaired: false }] },
    { error: owned, findings: [] },
    { error: undefined, findings: [] },
  ]);
});

test('a repair of conversations that another process owns reports what it would repair, with OWNED', async () => {
  const { store, ids } = await threeConversations();
  const owned = new StoreError('OWNED', 'by another');
  const finding = { part: 'summary', severity: 'stale', message: 'old', repaired: false } as const;
  const known = { ...finding, severity: 'known' } as const;
  const of = new Map([
    [ids[0], [finding, known]],
    [ids[1], [known]],
  ]);
  const checkOf = checking(store, async (id, { repair, ...options } = {}) => {
    if (repair && id !== undefined) throw owned;
    return { ...(await store.check(id, options)), findings: of.get(id) ?? [] };
  });
  const found = await checked(checkOf, { repair: true });
  expect(found.map(({ id, commits, findings, error }) => [id, commits, findings, error])).toEqual([
    [undefined, 0, [], undefined],
    [ids[0], 2, [finding, known], owned],
    [ids[1], 3, [known], undefined],
    [ids[2], 4, [], undefined],
  ]);
});

test('a check ends with the reason of its signal, also between two conversations', async () => {
  const { store } = await threeConversations();
  const controller = new AbortController();
  const reason = new Error('enough');
  const seen: unknown[] = [];
  const checks = async (): Promise<void> => {
    for await (const { id } of checkStore(store, { signal: controller.signal })) {
      seen.push(id);
      controller.abort(reason);
    }
  };
  await expect(checks()).rejects.toBe(reason);
  expect(seen).toEqual([undefined]);
});

test('P4: a check by reading names a gap that the reader does not, and an event that is located elsewhere', async () => {
  const { store, ids } = await threeConversations();
  const reader = (await store.read(ids[2] as string)) as JournalReader;
  const events = (await Array.fromAsync(reader.commits())).flatMap((commit) => commit.events);
  const damaged = new Proxy(reader, {
    get: (target, key) => {
      if (key === 'commits')
        return async function* () {
          for await (const commit of target.commits()) if (commit.seq !== 1) yield commit;
        };
      if (key === 'locate') return async (id: string) => (id === events[4]?.id ? toEventIndex(9) : target.locate(id));
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const { commits, events: read, findings } = await checkJournal(damaged);
  expect({ commits, read }).toEqual({ commits: 3, read: 4 });
  expect(findings).toEqual([
    { part: 'log', severity: 'lost', message: 'commit 1 is not there', repaired: false },
    {
      part: 'index',
      severity: 'damaged',
      message: `event ${events[4]?.id} is number 4 and is located 9`,
      repaired: false,
    },
  ]);
});

test('a conversation deleted during a check has no result, and a listed conversation that is missing has', async () => {
  const { store, ids } = await threeConversations();
  const [first = '', second = '', third = ''] = ids;
  const deleting = checking(store, async (id, options) => {
    if (id === first) await store.delete(second);
    if (id === third) throw new StoreError('NOT_FOUND', `conversation ${third}`);
    return store.check(id, options);
  });
  const found = await checked(deleting);
  expect(found.map(({ id, error }) => [id, error?.code])).toEqual([
    [undefined, undefined],
    [first, undefined],
    [third, 'NOT_FOUND'],
  ]);
});
