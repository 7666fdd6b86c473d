import { isConversationError } from '@conv/core';
import type { Platform, Timer } from '@conv/core/platform';
import type { ConversationStore, OwnerInfo } from '@conv/core/store';

import type { FleetOptions } from './fleet-options.ts';
import { refusalIn } from './owner-refusal.ts';
import { OwnerHeartbeats, type OwnerHeartbeatsDeps } from './owner-heartbeats.ts';

export interface TakeOversDeps extends OwnerHeartbeatsDeps {
  readonly platform: Platform;
  readonly store: Pick<ConversationStore, 'list'>;
  /** Returns the number of free run slots. */
  readonly freeSlots: () => number;
  readonly isLoaded: (id: string) => boolean;
  /** Loads the conversation and continues its run. Rejects as `ConversationHost.acquire`. */
  readonly take: (id: string) => Promise<void>;
  readonly report: (error: unknown, about: { readonly conversationId?: string; readonly doing: string }) => void;
}

/** Known facts about a conversation that another server runs. */
interface Known {
  readonly owner: string;
  /** Epoch milliseconds at which its lease ends unless it is renewed. */
  readonly until: number;
  /** Epoch milliseconds at which it is tried even if its owner is alive, because the owner may have lost it. */
  readonly checkAt: number;
}

const CHECK_INTERVAL = 30_000;

/** Maximum number of conversations that are tried concurrently. */
const AT_ONCE = 4;

/** Number of scans for which a server without a free slot leaves a run to other servers. */
const LOOKS_FOR_OTHERS = 5;

/**
 * Scans for runs whose server is dead, at intervals, and continues them. A conversation whose owner takes requests is left alone.
 * A refused conversation is left alone until its owner's lease may be over.
 */
export class TakeOvers {
  readonly #options: FleetOptions;
  readonly #deps: TakeOversDeps;
  readonly #heartbeats: OwnerHeartbeats;
  readonly #interval: number;
  readonly #known = new Map<string, Known>();
  /** Conversations that were seen running in their log; the store's list may lag behind it. */
  readonly #seen = new Set<string>();
  /** Number of times a conversation was left to the other servers. */
  readonly #left = new Map<string, number>();
  /** The number of conversations that are being tried. */
  #taking = 0;
  #timer: Timer | undefined;
  #looking: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: FleetOptions, deps: TakeOversDeps) {
    this.#options = options;
    this.#deps = deps;
    this.#heartbeats = new OwnerHeartbeats(deps);
    this.#interval = options.scanInterval ?? 2000;
  }

  /** Scans now, and then at intervals. */
  start(): void {
    this.#looking = this.#look().catch((error: unknown) =>
      this.#deps.report(error, { doing: 'looking for runs without a server' }),
    );
    void this.#looking.then(() => this.#schedule());
  }

  /** Notes that a conversation is running elsewhere; the next scan checks it. */
  saw(id: string): void {
    this.#seen.add(id);
  }

  /** Returns the server that runs a conversation, as far as known. */
  ownerOf(id: string): string | undefined {
    return this.#known.get(id)?.owner;
  }

  /** Notes that the run of a conversation continues here. */
  tookOver(id: string): void {
    const known = this.#known.get(id);
    const last = known && this.#heartbeats.last(known.owner);
    this.#forget(id);
    const withoutOwner = last === undefined ? undefined : this.#deps.platform.now() - last;
    this.#options.observer?.tookOver?.(id, { withoutOwner });
  }

  /** Stops scanning. Resolves when no takeover is in progress. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await this.#looking;
  }

  #schedule(): void {
    if (this.#closed) return;
    // servers that were started together must not scan at the same moment
    const { platform } = this.#deps;
    const delay = this.#interval * (0.75 + platform.random() / 2);
    this.#timer = platform.setTimer(delay, () => this.start(), { background: true });
  }

  async #look(): Promise<void> {
    const running = await this.#running();
    for (const id of [...this.#known.keys(), ...this.#left.keys()]) if (!running.has(id)) this.#forget(id);
    const owners = new Set([...this.#known.values()].map(({ owner }) => owner));
    owners.delete(this.#options.url);
    const ready = await this.#heartbeats.ask(owners);
    const due = [...running].filter((id) => this.#isDue(id, ready)).values();
    const work = async (): Promise<void> => {
      for (const id of due) if (!this.#closed) await this.#try(id);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  /** Resolves with the ids of running conversations, as far as lists and readers know. */
  async #running(): Promise<ReadonlySet<string>> {
    const found = new Set(this.#seen);
    this.#seen.clear();
    const query = { status: 'running', sortBy: 'createdAt', order: 'ascending' } as const;
    const { listPages } = await import('@conv/store-kit');
    for await (const items of listPages(this.#deps.store, query)) {
      for (const { id } of items) found.add(id);
      if (this.#closed) break;
    }
    return found;
  }

  #isDue(id: string, ready: ReadonlySet<string>): boolean {
    if (this.#deps.isLoaded(id)) return false;
    const known = this.#known.get(id);
    if (!known) return true;
    const now = this.#deps.platform.now();
    if (ready.has(known.owner)) return now >= known.checkAt;
    // a server that shut down in order has released the conversation, even if its lease has not ended
    return this.#deps.isPeer(known.owner) || now >= known.until;
  }

  async #try(id: string): Promise<void> {
    const left = this.#left.get(id) ?? 0;
    const isFull = this.#deps.freeSlots() <= this.#taking;
    if (isFull && left < LOOKS_FOR_OTHERS) return void this.#left.set(id, left + 1);
    this.#taking++;
    try {
      await this.#deps.take(id);
      this.#forget(id);
    } catch (error) {
      this.#refused(id, error);
    } finally {
      this.#taking--;
    }
  }

  #refused(id: string, error: unknown): void {
    const owner = refusalIn(error)?.owner;
    this.#known.set(id, knownOf(owner, this.#deps.platform.now()));
    // when its next server dies, other servers come first again
    this.#left.delete(id);
    if (owner || isConversationError(error, 'NOT_FOUND') || isConversationError(error, 'CLOSED')) return;
    this.#deps.report(error, { conversationId: id, doing: 'taking over' });
  }

  #forget(id: string): void {
    this.#known.delete(id);
    this.#left.delete(id);
  }
}

/** A conversation that cannot be loaded for another reason is tried again as if another server owned it. */
function knownOf(owner: OwnerInfo | undefined, now: number): Known {
  const checkAt = now + CHECK_INTERVAL;
  return { owner: owner?.owner ?? '', until: Math.min(owner?.until ?? checkAt, checkAt), checkAt };
}
