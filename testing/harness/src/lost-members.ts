import { randomUUID } from 'node:crypto';
import { initialFields } from '@conv/core';
import { MemoryStore, toCommitSeq, type ConversationStore, type Journal, type JournalReader } from '@conv/core/store';
import { alter } from './alter.ts';

/** A use of each member of a contract, of an optional one too: the compiler refuses a list that lacks a member. */
type Uses<Contract> = { readonly [Member in keyof Contract]-?: (wrapped: Required<Contract>) => unknown };

const journalUses: Uses<Journal> = {
  end: (journal) => journal.end,
  damage: (journal) => journal.damage,
  epoch: (journal) => journal.epoch,
  lost: (journal) => journal.lost,
  refresh: (journal) => journal.refresh(),
  commits: (journal) => Array.fromAsync(journal.commits()),
  locate: (journal) => journal.locate('event'),
  snapshot: (journal) => journal.snapshot(),
  kept: (journal) => journal.kept(),
  verify: (journal) => journal.verify(0, 1),
  watch: (journal) => Array.fromAsync(journal.watch(toCommitSeq(0), AbortSignal.abort())),
  append: (journal) => journal.append({ id: randomUUID(), events: [] }, initialFields),
  saveSnapshot: (journal) => journal.saveSnapshot({ seq: toCommitSeq(0), version: 0, data: {} }),
  close: (journal) => journal.close(),
};

const storeUses: Uses<ConversationStore> = {
  features: (store) => store.features,
  open: (store) => store.open(randomUUID(), { owner: 'test' }),
  read: (store) => store.read(randomUUID()),
  list: (store) => store.list(),
  fork: (store) => store.fork(randomUUID(), randomUUID(), { patch: {} }),
  delete: (store) => store.delete(randomUUID()),
  check: (store) => store.check(undefined),
  close: (store) => store.close(),
};

/** Resolves with the members that a wrapper of journals, or of readers, does not take from the journal inside. */
export function lostJournalMembers(
  wrap: (journal: Journal) => JournalReader | Promise<JournalReader>,
): Promise<readonly string[]> {
  const make = async (): Promise<Journal> => {
    const journal = await new MemoryStore().open(randomUUID(), { owner: 'test' });
    return alter(journal, { kept: async () => [] });
  };
  return lostMembers(journalUses, make, wrap);
}

/** Resolves with the members that a wrapper of stores does not take from the store inside. */
export function lostStoreMembers(wrap: (store: ConversationStore) => ConversationStore): Promise<readonly string[]> {
  return lostMembers(storeUses, async () => new MemoryStore() as ConversationStore, wrap);
}

async function lostMembers<Contract extends object>(
  uses: Uses<Contract>,
  make: () => Promise<Contract>,
  wrap: (inner: Contract) => object | Promise<object>,
): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const [member, use] of Object.entries(uses) as [string, (wrapped: object) => unknown][]) {
    const reached = new Set<PropertyKey>();
    const inner = new Proxy(await make(), {
      get: (target, name): unknown => {
        reached.add(name);
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const wrapped = await wrap(inner);
    try {
      await use(wrapped);
    } catch {
      // a member that is not there, or that refuses its use, has not reached the inner one
    }
    if (!reached.has(member)) lost.push(member);
  }
  return lost;
}
