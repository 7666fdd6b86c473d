import type { Platform } from '@conv/core/platform';

import type { LiveConversation } from '../hosting/live-conversation.ts';
import type { Lease } from '../hosting/loaded-conversations.ts';
import { ConversationFeed } from './conversation-feed.ts';

/** The right to listen to a conversation's feed. */
export interface FeedLease extends Disposable {
  readonly feed: ConversationFeed;
}

interface Entry {
  readonly opening: Promise<Opened>;
  users: number;
}

interface Opened {
  readonly feed: ConversationFeed;
  readonly leaveEnding: () => void;
  readonly lease: Lease<LiveConversation>;
}

/** Parts of a host that a {@link FeedRegistry} needs. */
export interface Followable {
  follow(id: string): Promise<Lease<LiveConversation>>;
  report(error: unknown, about: { readonly conversationId?: string; readonly doing: string }): void;
}

/** The feeds of a server, one for each conversation with sockets. A conversation stays loaded while it has a feed. */
export class FeedRegistry {
  readonly #host: Followable;
  readonly #platform: Platform;
  readonly #entries = new Map<string, Entry>();

  constructor(host: Followable, platform: Platform) {
    this.#host = host;
    this.#platform = platform;
  }

  /**
   * Resolves with the feed of a conversation. Rejects as `ConversationHost.follow`.
   * @param id a dashed UUID
   */
  async open(id: string): Promise<FeedLease> {
    const entry = this.#entries.get(id) ?? this.#make(id);
    entry.users++;
    try {
      const { feed } = await entry.opening;
      let held = true;
      const release = (): void => {
        if (held) this.#leave(id, entry);
        held = false;
      };
      return { feed, [Symbol.dispose]: release };
    } catch (error) {
      this.#leave(id, entry);
      throw error;
    }
  }

  #make(id: string): Entry {
    const entry: Entry = { opening: this.#follow(id, () => this.#forget(id, entry)), users: 0 };
    this.#entries.set(id, entry);
    return entry;
  }

  async #follow(id: string, forget: () => void): Promise<Opened> {
    const lease = await this.#host.follow(id);
    const { conversation } = lease;
    const report = (error: unknown): void => this.#host.report(error, { conversationId: id, doing: 'publishing' });
    try {
      // a client that comes after the conversation's end gets a new feed
      const leaveEnding = conversation.ending.whenOver(forget);
      // it may have ended while this server got its lease
      if (conversation.ending.isOver) forget();
      return { feed: new ConversationFeed(conversation, this.#platform, report), lease, leaveEnding };
    } catch (error) {
      lease.release();
      throw error;
    }
  }

  #leave(id: string, entry: Entry): void {
    if (--entry.users > 0) return;
    this.#forget(id, entry);
    const close = ({ feed, lease, leaveEnding }: Opened): void => {
      leaveEnding();
      feed.close();
      lease.release();
    };
    entry.opening.then(close, () => {});
  }

  #forget(id: string, entry: Entry): void {
    if (this.#entries.get(id) === entry) this.#entries.delete(id);
  }
}
