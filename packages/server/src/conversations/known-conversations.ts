import { isConversationError, type StateFields } from '@conv/core';
import { isStoreError, type ConversationSummary } from '@conv/core/store';
import { conversationRoutes } from '@conv/openhands/rest';

import { isWithin, type Caller } from '../auth/principal.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import { conversationNotFound } from '../hosting/conversation-not-found.ts';
import { ownerIn } from './owner.ts';

/** Parents that are looked at for one conversation. Sub-agents do not nest deeper. */
const MOST_PARENTS = 20;

/** Maximum number of conversations whose owners are cached. */
const CACHED = 10_000;

type Facts = Pick<StateFields, 'tags' | 'parentId' | 'createdAt'> & { readonly owner: string | null };

/** Decides which conversations a caller may know: those within its limits, and their children. */
export class KnownConversations {
  readonly #host: ConversationHost;
  /** Owners by id and time of creation: another conversation may get the id of a deleted one. */
  readonly #owners = new Map<string, string | null>();

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

  /** Returns the listed conversations that the caller may know. Conversations that cannot be read are known to unlimited callers alone. */
  async among<Item extends ConversationSummary>(caller: Caller, items: readonly Item[]): Promise<readonly Item[]> {
    if (!caller.limits) return items;
    const known: Item[] = [];
    for (const item of items) {
      if (item.unreadable !== undefined) continue;
      const owner = await this.#ownerOf(item);
      if (owner !== undefined && (await this.#isKnown(caller, { ...item, owner }))) known.push(item);
    }
    return known;
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

  async #ownerOf({ id, createdAt }: ConversationSummary): Promise<string | null | undefined> {
    const key = `${id} ${createdAt}`;
    const cached = this.#owners.get(key);
    if (cached !== undefined) return cached;
    const facts = await this.#facts(id);
    if (!facts) return undefined;
    if (this.#owners.size >= CACHED) this.#owners.clear();
    this.#owners.set(key, facts.owner);
    return facts.owner;
  }

  /** Resolves with `undefined` also for a conversation that cannot be read: an error would tell that it exists. */
  async #facts(id: string): Promise<Facts | undefined> {
    try {
      await using reading = await this.#host.readPast(id);
      if (!reading) return undefined;
      const { fields } = reading;
      const { tags, parentId, createdAt } = fields;
      return { tags, parentId, createdAt, owner: ownerIn(fields) };
    } catch (error) {
      const isOfStore = isStoreError(error, 'UNAVAILABLE') || isStoreError(Object(error).cause, 'UNAVAILABLE');
      if (isOfStore || isConversationError(error, 'CLOSED')) throw error;
      return undefined;
    }
  }
}
