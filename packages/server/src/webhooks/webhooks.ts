import type { Platform, Timer } from '@conv/core/platform';
import type { ConversationStore } from '@conv/core/store';
import { toConversationId } from '@conv/core/store';
import { listPages } from '@conv/store-kit';

import type { WebhookSender } from './webhook-sender.ts';

/** Milliseconds for which a changed conversation is left to the server that has it loaded. */
const FRESH = 5000;

/** Milliseconds by which the clocks of servers may differ, and lists may lag. */
const OVERLAP = 120_000;

/** Milliseconds that a closing server waits for requests that are on. */
const GRACE = 3000;

/** A receiver, and what is known of it. */
export interface Webhook {
  readonly sender: Pick<WebhookSender, 'has' | 'add' | 'close'>;
  /** Epoch milliseconds from which it is told. */
  readonly since: number;
  /** Returns the ids of the conversations that have a position, without dashes. */
  readonly conversations: () => Promise<readonly string[]>;
  /** Called before each scan. Resolves with false if nothing is to be told of any conversation. Default: there may be. */
  readonly refresh?: () => Promise<boolean>;
}

export interface WebhooksDeps {
  readonly platform: Platform;
  readonly store: Pick<ConversationStore, 'list'>;
  readonly scanInterval: number;
  /** Sets up the receivers. Called again later when it rejects, because the registry did not answer. */
  readonly setUp: () => Promise<readonly Webhook[]>;
  readonly closeConnections: () => Promise<void>;
  readonly report: (error: unknown, doing: string) => void;
}

/**
 * The webhooks of a server. Loaded conversations say when they change. Scans of the store find what no server has told: at the start everything that
 * killed servers left, and then at intervals what other servers left.
 */
export class Webhooks {
  readonly #deps: WebhooksDeps;
  #webhooks: readonly Webhook[] = [];
  /** Conversations that changed before the receivers were set up. */
  #early: Set<string> | undefined = new Set();
  /** `updatedAt` of the conversations that the last scan has found, by id. */
  #found: ReadonlyMap<string, string> = new Map();
  /** Epoch milliseconds of the changes from which the next scan looks. */
  #from = -Infinity;
  #timer: Timer | undefined;
  #scanning: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(deps: WebhooksDeps) {
    this.#deps = deps;
  }

  /** Notes that a conversation may have changed. Returns at once. */
  changed(id: string): void {
    this.#early?.add(id);
    for (const { sender } of this.#webhooks) sender.add(id);
  }

  /** Sets up the receivers and scans the store, now and then at intervals. */
  start(): void {
    this.#scanning = this.#scan().catch((error: unknown) => this.#deps.report(error, 'looking for untold events'));
    void this.#scanning.then(() => this.#schedule());
  }

  /** Ends the scans and the requests that are on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#scanning;
    await Promise.all(this.#webhooks.map(({ sender }) => sender.close(GRACE)));
    await this.#deps.closeConnections();
  }

  #schedule(): void {
    if (this.#isClosed) return;
    const { platform, scanInterval } = this.#deps;
    // servers that were started together must not scan at the same moment
    const delay = scanInterval * (0.75 + platform.random() / 2);
    this.#timer = platform.setTimer(delay, () => this.start(), { background: true });
  }

  async #scan(): Promise<void> {
    const { platform, store, setUp } = this.#deps;
    if (this.#early) {
      this.#webhooks = await setUp();
      const early = this.#early;
      this.#early = undefined;
      for (const id of early) this.changed(id);
    }
    const began = platform.now();
    const wanted = await Promise.all(this.#webhooks.map(async ({ refresh }) => refresh?.() ?? true));
    if (!wanted.includes(true)) {
      // a look at a store may cost money
      this.#found = new Map();
      this.#from = began - OVERLAP;
      return;
    }
    const isFirst = this.#from === -Infinity;
    const found = new Map<string, string>();
    const query = { sortBy: 'updatedAt', order: 'descending' } as const;
    const all = new Set<string>();
    scan: for await (const items of listPages(store, query)) {
      for (const { id, updatedAt, unreadable } of items) {
        const time = Date.parse(updatedAt);
        if (time < this.#from || this.#isClosed) break scan;
        if (isFirst) all.add(id);
        // what changed just now is told by the server that has it loaded, or by the next scan
        if (unreadable !== undefined || (!isFirst && time > began - FRESH)) continue;
        found.set(id, updatedAt);
        if (this.#found.get(id) !== updatedAt) this.#tell(id, time);
      }
    }
    if (isFirst) await this.#forgetDeleted(all);
    this.#found = found;
    this.#from = began - OVERLAP;
  }

  #tell(id: string, updatedAt: number): void {
    for (const { sender, since } of this.#webhooks)
      if (updatedAt >= since - OVERLAP && !sender.has(id)) sender.add(id, { flush: true });
  }

  /** Has the positions of deleted conversations removed. */
  async #forgetDeleted(existing: ReadonlySet<string>): Promise<void> {
    for (const { sender, conversations } of this.#webhooks) {
      for (const key of await conversations()) {
        const id = toConversationId(key);
        if (!existing.has(id) && !this.#isClosed) sender.add(id);
      }
    }
  }
}
