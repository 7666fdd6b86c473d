import { setImmediate } from 'node:timers/promises';

import {
  type CommitSeq,
  type ConversationStore,
  type Journal,
  type JournalReader,
  MemoryStore,
  type NewCommit,
  StoreError,
  toConversationId,
} from '@conv/core/store';
import { checkByReading } from '@conv/store-kit';
import { alter } from '@conv/testing-harness';
import type { StoreUnderTest } from '../../src/index.ts';
import { changeCommits } from './change-commits.ts';

/** Small, so that the cases about size are quick. */
export const MAX_COMMIT_BYTES = 1024 * 1024;

/** The handle of a journal or reader that a flaw alters. */
export interface Handle {
  readonly id: string;
  /** 0 for the first store object of a backend, 1 for the next one … */
  readonly connection: number;
  readonly backend: SharedBackend;
}

/** A flaw of a store. Each function returns replacements for members of its first argument. */
export interface Flaw {
  store?(store: ConversationStore, handle: Omit<Handle, 'id'>): Partial<ConversationStore>;
  /** Alters journals alone. */
  journal?(journal: Journal, handle: Handle): Partial<Journal>;
  /** Alters readers alone. */
  reader?(reader: JournalReader, handle: Handle): Partial<JournalReader>;
  /** Alters journals and readers. */
  reading?(reader: JournalReader, handle: Handle): Partial<JournalReader>;
}

/** The state that the store objects of one backend share. */
export class SharedBackend {
  readonly memory: MemoryStore = new MemoryStore();
  /** Journals that own a conversation, by its id. */
  readonly owners: Map<string, { readonly journal: Journal; readonly connection: number; fence(): Promise<void> }> =
    new Map();
  connections = 0;
  /** Commits that do not read back, by conversation. */
  readonly damaged: Map<string, CommitSeq> = new Map();
  /** Conversations whose log is in the place of another one's, by that one's id. */
  readonly swapped: Map<string, string> = new Map();
  /** True if nothing can be read. */
  isAway = false;
  /** The number of calls of all store objects. */
  requests = 0;
  /**
   * The way in which the answer to the next append is lost. This store knows what it stored, so that nothing follows
   * from it.
   */
  lostAnswer: 'cut' | 'sentTwice' | undefined;

  /** True if the next write of a commit is held back. */
  isDelaying = false;
  /** Carries out the write that was held back. */
  arrive: () => Promise<unknown> = async () => {};

  /** Returns how the answer to the append that is being made is lost, once. */
  takeLostAnswer(): 'cut' | 'sentTwice' | undefined {
    const how = this.lostAnswer;
    this.lostAnswer = undefined;
    return how;
  }
}

/** A store under test: store objects that share a memory, with a flaw or without. */
export function shareMemory(flaw: Flaw = {}, backend: SharedBackend = new SharedBackend()): StoreUnderTest {
  const opened: ConversationStore[] = [];
  const again = async (): Promise<ConversationStore> => {
    const store = connect(backend, flaw);
    opened.push(store);
    return store;
  };
  const store = connect(backend, flaw);
  return {
    store,
    again,
    takeOver: async (id) => {
      await backend.owners.get(id)?.fence();
      return (await again()).open(id, { create: 'never', owner: 'usurper' });
    },
    damageRecord: async (id, seq) => void backend.damaged.set(id, seq),
    swapLogs: async (one, other) => {
      const isSwapped = backend.swapped.has(one);
      for (const [id, found] of [
        [one, other],
        [other, one],
      ] as const)
        if (isSwapped) backend.swapped.delete(id);
        else backend.swapped.set(id, found);
    },
    loseAnswer: (how) => {
      backend.lostAnswer = how;
    },
    delayWrite: () => {
      backend.isDelaying = true;
      return async () => void (await backend.arrive());
    },
    goAway: async () => {
      backend.isAway = true;
      return async () => {
        backend.isAway = false;
      };
    },
    requests: () => backend.requests,
    dispose: async () => {
      for (const one of [store, ...opened]) await one.close();
    },
  };
}

function connect(backend: SharedBackend, flaw: Flaw): ConversationStore {
  const connection = backend.connections++;
  const store = new Connection(backend, flaw, connection);
  return flaw.store ? alter<ConversationStore>(store, flaw.store(store, { connection, backend })) : store;
}

class Connection implements ConversationStore {
  readonly features = {
    durability: 'process',
    exclusion: 'kernel',
    shared: true,
    maxCommitBytes: MAX_COMMIT_BYTES,
  } as const;
  readonly #backend: SharedBackend;
  readonly #flaw: Flaw;
  readonly #connection: number;
  readonly #closers = new Set<() => Promise<void>>();
  #closed = false;

  constructor(backend: SharedBackend, flaw: Flaw, connection: number) {
    this.#backend = backend;
    this.#flaw = flaw;
    this.#connection = connection;
  }

  async open(...[id, options]: Parameters<ConversationStore['open']>): Promise<Journal> {
    this.#assertOpen();
    this.#backend.requests++;
    this.#assertOwn(id);
    const inner = await this.#backend.memory.open(id, options);
    const handle = { id: toConversationId(id), connection: this.#connection, backend: this.#backend };
    const owned = own(inner, handle);
    this.#closers.add(() => owned.close());
    const read = this.#flaw.reading ? alter(owned, this.#flaw.reading(owned, handle) as Partial<Journal>) : owned;
    return this.#flaw.journal ? alter(read, this.#flaw.journal(read, handle)) : read;
  }

  async read(id: string): Promise<JournalReader | undefined> {
    this.#assertOpen();
    this.#assertOwn(id);
    const stored = await readDamaged(this.#backend, id);
    if (!stored) return undefined;
    const inner = whenReachable(stored, this.#backend);
    this.#closers.add(() => inner.close());
    const handle = { id: toConversationId(id), connection: this.#connection, backend: this.#backend };
    const read = this.#flaw.reading ? alter(inner, this.#flaw.reading(inner, handle)) : inner;
    return this.#flaw.reader ? alter(read, this.#flaw.reader(read, handle)) : read;
  }

  async list(...[query]: Parameters<ConversationStore['list']>): ReturnType<ConversationStore['list']> {
    this.#assertOpen();
    return this.#backend.memory.list(query);
  }

  async fork(...[id, newId, options]: Parameters<ConversationStore['fork']>): Promise<void> {
    this.#assertOpen();
    this.#assertOwn(id);
    await this.#backend.memory.fork(id, newId, options);
  }

  async delete(id: string): Promise<void> {
    this.#assertOpen();
    await this.#backend.memory.delete(id);
  }

  async check(...[id, options]: Parameters<ConversationStore['check']>): ReturnType<ConversationStore['check']> {
    this.#assertOpen();
    if (id !== undefined) this.#assertOwn(id);
    return checkByReading({ read: (one) => readDamaged(this.#backend, one) }, id, options);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const close of this.#closers) await close();
    this.#closers.clear();
  }

  /** Throws `CORRUPT` for the log of another conversation. */
  #assertOwn(id: string): void {
    const found = this.#backend.swapped.get(toConversationId(id));
    if (found !== undefined)
      throw new StoreError('CORRUPT', `expected the log of ${toConversationId(id)}, found that of ${found}`);
  }

  #assertOpen(): void {
    if (this.#closed) throw new StoreError('CLOSED', 'shared store');
  }
}

/** A reader that cannot read what is damaged. */
async function readDamaged({ memory, damaged }: SharedBackend, id: string): Promise<JournalReader | undefined> {
  const reader = await memory.read(id);
  const seq = damaged.get(toConversationId(id));
  if (!reader || seq === undefined) return reader;
  const damage = [{ from: seq, to: seq, reason: 'a flipped bit', restored: [] }];
  return alter(reader, { ...changeCommits(reader, (commit) => (commit.seq === seq ? undefined : commit)), damage });
}

/** Returns a reader whose watch waits, and whose other calls reject, while the backend is away. */
function whenReachable(reader: JournalReader, backend: SharedBackend): JournalReader {
  return alter(reader, {
    refresh: async () => {
      if (backend.isAway) throw new StoreError('UNAVAILABLE', 'the memory is away');
      return reader.refresh();
    },
    async *watch(from: CommitSeq, signal: AbortSignal) {
      while (backend.isAway && !signal.aborted) await setImmediate();
      yield* reader.watch(from, signal);
    },
  });
}

/** Returns a journal that can be fenced off and refuses commits that are too large. */
function own(inner: Journal, { id, connection, backend }: Handle): Journal {
  const lost = new AbortController();
  let closed = false;
  let refusal: StoreError | undefined;
  const journal = alter(inner, {
    lost: lost.signal,
    append: async (...[commit, after]: Parameters<Journal['append']>) => {
      if (closed) throw new StoreError('CLOSED', `journal of ${id}`);
      lost.signal.throwIfAborted();
      if (refusal) throw refusal;
      if (backend.isDelaying) {
        backend.isDelaying = false;
        const { seq } = inner.end;
        // The write has a place, and its owner has the conversation while `inner` is open.
        backend.arrive = async () => inner.end.seq === seq && inner.append(commit, after).catch(() => {});
        throw new StoreError('OUTCOME_UNKNOWN', `commit of ${id} has no answer`);
      }
      if (bytesOf(commit) <= MAX_COMMIT_BYTES) return inner.append(commit, after);
      refusal = new StoreError('TOO_LARGE', `commit of ${id}`);
      try {
        // Appends that are made before the refusal is reported build on a missing commit.
        await Promise.resolve();
        throw refusal;
      } finally {
        refusal = undefined;
      }
    },
    close: async () => {
      closed = true;
      if (backend.owners.get(id) === entry) backend.owners.delete(id);
      await inner.close();
    },
  });
  const entry = {
    journal,
    connection,
    fence: async () => {
      backend.owners.delete(id);
      await inner.close();
      lost.abort(new StoreError('FENCED', `conversation ${id} was taken over`));
    },
  };
  backend.owners.set(id, entry);
  return journal;
}

export function bytesOf(commit: NewCommit): number {
  return Buffer.byteLength(JSON.stringify(commit));
}
