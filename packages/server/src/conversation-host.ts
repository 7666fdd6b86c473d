import { ConversationError, fromStoreError, isConversationError } from '@conv/core';
import { toConversationId } from '@conv/core/store';
import type { LocalConversation } from '@conv/local';

import { autoTitle } from './auto-title.ts';
import { ForeignConversation } from './foreign-conversation.ts';
import { HostedConversation } from './hosted-conversation.ts';
import type { LiveConversation } from './live-conversation.ts';
import { LoadedConversations, type Lease } from './loaded-conversations.ts';
import { makeLocal, openLocal, type NewConversation } from './open-local.ts';
import { RunSlots } from './run-slots.ts';
import type { HostOptions } from './server-options.ts';
import { readStored, type Reading, type StoredConversation } from './stored-conversation.ts';

/** What a host has to do at the moment. */
export interface HostLoad {
  /** Conversations that are loaded. */
  readonly conversations: number;
  /** Runs that are on. */
  readonly runs: number;
  /** Runs that wait for their turn. */
  readonly waiting: number;
}

const TWENTY_MINUTES = 20 * 60_000;

/** Milliseconds for which a conversation that could not be loaded is not tried again because somebody reads it. */
const DENIED_FOR = 5000;

/**
 * The conversations of one server. Loads each on its first use that writes or follows, from any store, and lets it go when nobody
 * has used it for a while: never during a run, while one waits for its turn, or while somebody holds a {@link Lease}. What is only read
 * is not loaded. Runs go on without their clients.
 */
export class ConversationHost {
  readonly options: HostOptions;
  readonly #slots: RunSlots;
  readonly #loaded: LoadedConversations;
  /** When conversations that could not be had may be asked for again. */
  readonly #denied = new Map<string, number>();
  #closing: Promise<void> | undefined;

  constructor(options: HostOptions) {
    this.options = options;
    this.#slots = new RunSlots(options.maxConcurrentRuns ?? 10);
    this.#loaded = new LoadedConversations({
      idleTimeout: options.idleTimeout ?? TWENTY_MINUTES,
      report: (error, conversationId, doing) => this.report(error, { conversationId, doing }),
    });
  }

  get load(): HostLoad {
    return { conversations: this.#loaded.size, runs: this.#slots.taken, waiting: this.#slots.waiting };
  }

  /** The conversation if it is loaded. Only to look at: without a lease it may be let go at any time. */
  loaded(id: string): HostedConversation | undefined {
    return this.#loaded.get(idOf(id));
  }

  /**
   * Loads the conversation. Rejects `ConversationError` `NOT_FOUND`, `OWNED` while another process writes it (then it may be read and
   * followed), `CLOSED` when the server closes, and as `openLocalConversation`.
   */
  acquire(id: string): Promise<Lease> {
    const key = idOf(id);
    return this.#loaded.lease(key, async () => this.#hosted(await openLocal(this.options, key)));
  }

  /**
   * Makes a conversation, or loads the one that has this id already; `created` says which. Rejects as {@link ConversationHost.acquire}
   * and as `openLocalConversation`.
   */
  async create(options: NewConversation): Promise<Lease & { readonly created: boolean }> {
    const key = idOf(options.id);
    let created = false;
    const make = async (): Promise<HostedConversation> => {
      const hosted = this.#hosted(await makeLocal(this.options, { ...options, id: key }));
      created = true;
      return hosted;
    };
    try {
      return { ...(await this.#loaded.lease(key, make)), created };
    } catch (error) {
      if (!isConversationError(error, 'EXISTS')) throw error;
      return { ...(await this.acquire(key)), created: false };
    }
  }

  /** Opens the conversation for reading; `undefined` when there is none. To be disposed of. Rejects `ConversationError`. */
  async read(id: string): Promise<Reading | undefined> {
    const key = idOf(id);
    const loaded = this.#readLoaded(key);
    if (loaded) return loaded;
    const stored = await this.#readStored(key);
    if (stored?.fields.executionStatus !== 'running' || !(await this.#restore(key))) return stored;
    // nobody worked on it any more; loading it said so
    await stored[Symbol.asyncDispose]();
    return this.#readLoaded(key) ?? this.#readStored(key);
  }

  /**
   * The conversation as sockets follow it: loaded, or read from outside while another process writes it. Rejects as
   * {@link ConversationHost.acquire}, but for `OWNED`.
   */
  async follow(id: string): Promise<Lease<LiveConversation>> {
    try {
      return await this.acquire(id);
    } catch (error) {
      if (!isConversationError(error, 'OWNED')) throw error;
      const stored = await this.#readStored(idOf(id));
      if (!stored) throw conversationNotFound(idOf(id));
      const conversation = new ForeignConversation(stored);
      const release = (): void =>
        void conversation
          .close()
          .catch((cause: unknown) => this.report(cause, { doing: 'following', conversationId: id }));
      return { conversation, release, [Symbol.dispose]: release };
    }
  }

  /** Deletes the conversation; a run of it is interrupted. Rejects `NOT_FOUND`, `OWNED`. */
  async delete(id: string): Promise<void> {
    const key = idOf(id);
    const remove = (): Promise<void> => this.#typed(key, this.options.store.delete(key));
    if (await this.#loaded.end(key, conversationNotFound(key), remove)) return;
    const stored = await this.#readStored(key);
    if (!stored) throw conversationNotFound(key);
    await stored[Symbol.asyncDispose]();
    await remove();
  }

  /** Brings conversations to rest that were running when a server ended, so that nobody waits for them. */
  async restore(): Promise<void> {
    let page: string | undefined;
    do {
      const query = {
        status: 'running',
        limit: 100,
        sortBy: 'createdAt',
        ...(page === undefined ? {} : { page }),
      } as const;
      const { items, next } = await this.options.store.list(query);
      for (const { id } of items) if (!this.#closing) await this.#restore(id);
      page = next;
    } while (page !== undefined && !this.#closing);
  }

  /** Interrupts runs, stores everything, gives up all conversations. What is asked for afterwards rejects `CLOSED`. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#loaded.close(new ConversationError('CLOSED', 'the server is closing'));
    return this.#closing;
  }

  /** Tells the application of what went wrong where no client waits for an answer. */
  report(error: unknown, about: { readonly conversationId?: string; readonly doing: string }): void {
    if (this.options.report) return this.options.report(error, about);
    const message = error instanceof Error ? error.message : String(error);
    process.emitWarning(`${about.doing} ${about.conversationId ?? ''}: ${message}`, 'AgentServerWarning');
  }

  #hosted(conversation: LocalConversation): HostedConversation {
    const { id } = conversation;
    const { makeTitle, runs } = this.options;
    const report = (error: unknown, doing: string): void => this.report(error, { conversationId: id, doing });
    conversation.subscribe(autoTitle({ conversation, makeTitle, report }));
    return new HostedConversation({
      conversation,
      slots: this.#slots,
      observer: runs,
      report,
      rested: () => this.#loaded.rested(id),
    });
  }

  #readLoaded(id: string): Reading | undefined {
    const lease = this.#loaded.leaseLoaded(id);
    if (!lease) return undefined;
    const { conversation, release } = lease;
    return {
      id,
      get fields() {
        return conversation.fields;
      },
      state: conversation.conversation.state,
      get missingSecrets() {
        return conversation.conversation.settings.missingSecrets;
      },
      [Symbol.asyncDispose]: async () => release(),
    };
  }

  #readStored(id: string): Promise<StoredConversation | undefined> {
    return this.#typed(id, readStored(id, this.options));
  }

  /** Loads a conversation that may have been left running; false when it cannot be had. */
  async #restore(id: string): Promise<boolean> {
    if (this.#closing || (this.#denied.get(id) ?? 0) > Date.now()) return false;
    try {
      (await this.acquire(id)).release();
      this.#denied.delete(id);
      return true;
    } catch (error) {
      if (this.#denied.size > 1000) this.#denied.clear();
      this.#denied.set(id, Date.now() + DENIED_FOR);
      if (!isConversationError(error, 'OWNED')) this.report(error, { conversationId: id, doing: 'restoring' });
      return false;
    }
  }

  async #typed<T>(id: string, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw fromStoreError(error, id);
    }
  }
}

/** The id as conversations are known by. Throws `INVALID_INPUT`. */
function idOf(id: string): string {
  try {
    return toConversationId(id);
  } catch (error) {
    throw fromStoreError(error);
  }
}

/** What is rejected with for a conversation that is not there. */
export function conversationNotFound(id: string): ConversationError {
  return new ConversationError('NOT_FOUND', `there is no conversation ${id}`, { conversationId: id });
}
