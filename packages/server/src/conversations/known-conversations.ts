import { isConversationError, type StateFields } from '@conv/core';
import { isStoreError, type ConversationSummary } from '@conv/core/store';
import { conversationRoutes } from '@conv/openhands/rest';
import { listPages } from '@conv/store-kit';

import { isWithin, type Caller } from '../auth/principal.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import { conversationNotFound } from '../hosting/conversation-not-found.ts';
import { ownerIn } from './owner.ts';

/** Parents that are looked at for one conversation. Sub-agents do not nest deeper. */
const MOST_PARENTS = 20;

/** Maximum number of conversations whose owners and folders are cached. With more, each list of a limited caller reads all logs again. */
const CACHED = 100_000;

/** The lasting facts about a conversation. */
interface Lasting {
  readonly owner: string | null;
  /** The folder in which it works. */
  readonly folder: string;
}

type Facts = Pick<StateFields, 'tags' | 'parentId' | 'createdAt'> & Lasting;

/** Decides which conversations a caller may know: those within its limits, and their children. */
export class KnownConversations {
  readonly #host: ConversationHost;
  /** By id and time of creation: another conversation may get the id of a deleted one. */
  readonly #lasting = new Map<string, Lasting>();

  constructor(host: ConversationHost) {
    this.#host = host;
  }

  /** Rejects `NOT_FOUND` for a conversation that the caller may not know, and for an unknown id. */
  async check(caller: Caller, id: string): Promise<void> {
    const { data } = conversationRoutes.get.params?.safeParse({ conversation_id: id }) ?? {};
    // the schema of the route refuses an id that is none
    if (!data || (await this.knows(caller, data.conversation_id))) return;
    throw conversationNotFound(data.conversation_id);
  }

  /** True if the conversation exists and the caller may know it. Rejects if the store does not answer. */
  async knows(caller: Caller, id: string): Promise<boolean> {
    if (!caller.limits) return true;
    const facts = await this.#facts(id);
    return facts !== undefined && this.#isKnown(caller, facts);
  }

  /**
   * True if a conversation that the caller may not know has the id. It is not opened for that: opening it would continue its interrupted run,
   * and its damage would be told.
   */
  async isTaken(caller: Caller, id: string): Promise<boolean> {
    if (!caller.limits || (await this.knows(caller, id))) return false;
    try {
      await using reading = await this.#host.readPast(id);
      return reading !== undefined;
    } catch (error) {
      if (isTransient(error)) throw error;
      return true;
    }
  }

  /** Returns the listed conversations that the caller may know. Conversations that cannot be read are known to unlimited callers alone. */
  async among<Item extends ConversationSummary>(caller: Caller, items: readonly Item[]): Promise<readonly Item[]> {
    if (!caller.limits) return items;
    const known: Item[] = [];
    for (const item of items) {
      if (item.unreadable !== undefined) continue;
      const lasting = await this.#lastingOf(item);
      if (lasting && (await this.#isKnown(caller, { ...item, ...lasting }))) known.push(item);
    }
    return known;
  }

  /** Yields the folder of each conversation that can be read, and if the caller may know the conversation. */
  async *folders(caller: Caller): AsyncGenerator<{ readonly folder: string; readonly isKnown: boolean }> {
    for await (const items of listPages(this.#host.options.store, { sortBy: 'createdAt' }))
      for (const item of items) {
        const lasting = item.unreadable === undefined ? await this.#lastingOf(item) : undefined;
        if (!lasting) continue;
        yield { folder: lasting.folder, isKnown: await this.#isKnown(caller, { ...item, ...lasting }) };
      }
  }

  async #isKnown(caller: Caller, facts: Facts): Promise<boolean> {
    let child = facts;
    for (let depth = 0; depth <= MOST_PARENTS; depth++) {
      if (isWithin(caller, child)) return true;
      const parent = child.parentId === null ? undefined : await this.#facts(child.parentId);
      // a parent that is younger than its child is another conversation with the id of the deleted parent
      if (!parent || Date.parse(parent.createdAt) > Date.parse(child.createdAt)) return false;
      child = parent;
    }
    return false;
  }

  async #lastingOf({ id, createdAt }: ConversationSummary): Promise<Lasting | undefined> {
    const key = `${id} ${createdAt}`;
    const cached = this.#lasting.get(key);
    if (cached) return cached;
    const facts = await this.#facts(id);
    if (!facts) return undefined;
    const lasting = { owner: facts.owner, folder: facts.folder };
    if (this.#lasting.size >= CACHED) this.#lasting.clear();
    this.#lasting.set(key, lasting);
    return lasting;
  }

  /** Resolves with `undefined` also for a conversation that cannot be read: an error would tell that it exists. */
  async #facts(id: string): Promise<Facts | undefined> {
    try {
      await using reading = await this.#host.readPast(id);
      if (!reading) return undefined;
      const { fields } = reading;
      const { tags, parentId, createdAt, workspace } = fields;
      return { tags, parentId, createdAt, owner: ownerIn(fields), folder: workspace.workingDir };
    } catch (error) {
      if (isTransient(error)) throw error;
      return undefined;
    }
  }
}

/** True if the store or the server does not answer now, which says nothing about a conversation. */
function isTransient(error: unknown): boolean {
  const isOfStore = isStoreError(error, 'UNAVAILABLE') || isStoreError(Object(error).cause, 'UNAVAILABLE');
  return isOfStore || isConversationError(error, 'CLOSED');
}
