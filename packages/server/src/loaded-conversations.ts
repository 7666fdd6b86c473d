import { ConversationError } from '@conv/core';

import type { HostedConversation } from './hosted-conversation.ts';

/** The right to use a conversation: while there is one it is not let go. */
export interface Lease<T = HostedConversation> extends Disposable {
  readonly conversation: T;
  /** Gives it back. Idempotent; `[Symbol.dispose]` does the same. */
  readonly release: () => void;
}

/** What {@link LoadedConversations} works with. */
export interface LoadedConversationsInput {
  /** Milliseconds. */
  readonly idleTimeout: number;
  readonly report: (error: unknown, conversationId: string, doing: string) => void;
}

interface Entry {
  readonly id: string;
  readonly opening: Promise<HostedConversation>;
  hosted: HostedConversation | undefined;
  leases: number;
  timer: NodeJS.Timeout | undefined;
  /** Never rejects. Behind it the entry is gone. */
  closing: Promise<void> | undefined;
}

/** A longer timer would end at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * The conversations that are loaded, each once: whoever asks for one while it is being opened or let go waits for that. One without
 * leases and runs is let go after a while.
 */
export class LoadedConversations {
  readonly #input: LoadedConversationsInput;
  readonly #entries = new Map<string, Entry>();
  #closed = false;

  constructor(input: LoadedConversationsInput) {
    this.#input = input;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Those that are open. */
  get all(): readonly HostedConversation[] {
    return [...this.#entries.keys()].flatMap((id) => this.get(id) ?? []);
  }

  /** The conversation if it is open. */
  get(id: string): HostedConversation | undefined {
    const entry = this.#entries.get(id);
    return entry && !entry.closing ? entry.hosted : undefined;
  }

  /** A lease on the conversation, opened by `open` if it is not. Rejects as `open`, and `CLOSED` after {@link LoadedConversations.close}. */
  async lease(id: string, open: () => Promise<HostedConversation>): Promise<Lease> {
    for (;;) {
      if (this.#closed) throw new ConversationError('CLOSED', 'the server is closing', { conversationId: id });
      const known = this.#entries.get(id);
      if (known?.closing) {
        await known.closing;
        continue;
      }
      const entry = known ?? this.#load(id, open);
      const lease = await this.#leaseOn(entry).catch((error: unknown) => {
        // what somebody else wanted to open or make is not what this caller wants
        if (known) return undefined;
        throw error;
      });
      if (lease) return lease;
    }
  }

  /** A lease if it is open; opens nothing. */
  leaseLoaded(id: string): Lease | undefined {
    const entry = this.#entries.get(id);
    if (!entry?.hosted || entry.closing) return undefined;
    return this.#take(entry, entry.hosted);
  }

  /** It came to rest: it may be let go when nobody uses it. */
  rested(id: string): void {
    const entry = this.#entries.get(id);
    if (entry) this.#look(entry);
  }

  /**
   * Closes the conversation if it is loaded, tells its followers `reason`, then does what comes `after`, before anybody can open it again.
   * False when it is not loaded. Rejects as `after`.
   */
  async end(id: string, reason: unknown, after: () => Promise<void> = async () => {}): Promise<boolean> {
    const entry = this.#entries.get(id);
    if (!entry) return false;
    const hosted = await entry.opening.catch(() => undefined);
    if (entry.closing || !hosted) {
      await entry.closing;
      return this.end(id, reason, after);
    }
    let failure: { readonly error: unknown } | undefined;
    await this.#close(entry, hosted, reason, () => after().catch((error: unknown) => void (failure = { error })));
    if (failure) throw failure.error;
    return true;
  }

  /** Closes all of them; none can be opened any more. */
  async close(reason: unknown): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#entries.keys()].map((id) => this.end(id, reason)));
  }

  #load(id: string, open: () => Promise<HostedConversation>): Entry {
    const entry: Entry = { id, opening: open(), hosted: undefined, leases: 0, timer: undefined, closing: undefined };
    this.#entries.set(id, entry);
    entry.opening.then(
      (hosted) => this.#loaded(entry, hosted),
      () => this.#entries.delete(id),
    );
    return entry;
  }

  #loaded(entry: Entry, hosted: HostedConversation): void {
    entry.hosted = hosted;
    hosted.ended.addEventListener('abort', () => void this.#close(entry, hosted, hosted.ended.reason), { once: true });
  }

  async #leaseOn(entry: Entry): Promise<Lease | undefined> {
    entry.leases++;
    try {
      const hosted = await entry.opening;
      return entry.closing ? undefined : this.#take(entry, hosted);
    } finally {
      this.#give(entry);
    }
  }

  #take(entry: Entry, conversation: HostedConversation): Lease {
    entry.leases++;
    clearTimeout(entry.timer);
    let held = true;
    const release = (): void => {
      if (!held) return;
      held = false;
      this.#give(entry);
    };
    return { conversation, release, [Symbol.dispose]: release };
  }

  #give(entry: Entry): void {
    entry.leases--;
    this.#look(entry);
  }

  #look(entry: Entry): void {
    clearTimeout(entry.timer);
    const { hosted } = entry;
    if (!hosted || entry.closing || entry.leases > 0 || hosted.busy || this.#input.idleTimeout === Infinity) return;
    const timer = setTimeout(
      () => void this.#close(entry, hosted, new Error('nobody used the conversation')),
      Math.min(this.#input.idleTimeout, LONGEST_TIMER),
    );
    timer.unref();
    entry.timer = timer;
  }

  #close(entry: Entry, hosted: HostedConversation, reason: unknown, after?: () => Promise<void>): Promise<void> {
    // telling followers leads back here
    entry.closing ??= Promise.resolve().then(() => this.#giveUp(entry, hosted, reason, after));
    return entry.closing;
  }

  async #giveUp(
    { id, timer }: Entry,
    hosted: HostedConversation,
    reason: unknown,
    after?: () => Promise<void>,
  ): Promise<void> {
    clearTimeout(timer);
    hosted.end(reason);
    await hosted.close().catch((error: unknown) => this.#input.report(error, id, 'closing'));
    await after?.();
    this.#entries.delete(id);
  }
}
