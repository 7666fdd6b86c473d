import { timers, type Platform, type Timer } from '@conv/core/platform';

import { ServerClosingError } from '../ownership/server-closing-error.ts';
import type { HostedConversation } from './hosted-conversation.ts';

/** The right to use a conversation, which is not unloaded while a lease exists. */
export interface Lease<T = HostedConversation> extends Disposable {
  readonly conversation: T;
  /** Ends the lease. Idempotent; `[Symbol.dispose]` does the same. */
  readonly release: () => void;
}

export interface LoadedConversationsDeps {
  readonly platform: Platform;
  /** Milliseconds. */
  readonly idleTimeout: number;
  readonly report: (error: unknown, conversationId: string, doing: string) => void;
}

export interface EndOptions {
  /** The reason that its followers get. */
  readonly reason: unknown;
  /** Leaves the run to the next server, `grace` milliseconds after this at the latest. Default: the run is interrupted. */
  readonly handOver?: { readonly grace: number };
  /** Runs before any caller can open the conversation again. */
  readonly after?: () => Promise<void>;
}

interface Entry {
  readonly id: string;
  readonly opening: Promise<HostedConversation>;
  hosted: HostedConversation | undefined;
  leases: number;
  timer: Timer | undefined;
  /** Never rejects. When it has resolved, the entry is removed. */
  closing: Promise<void> | undefined;
}

/** Milliseconds between two looks for conversations in which nothing happens. Events and views leave memory at the second look. */
const REST_INTERVAL = 20_000;

const UNUSED = new Error('no client used the conversation');

/**
 * The loaded conversations, each once. A caller that asks for a conversation that is being opened or unloaded waits for that. A
 * conversation without leases and runs is unloaded after the idle timeout.
 */
export class LoadedConversations {
  readonly #deps: LoadedConversationsDeps;
  readonly #entries = new Map<string, Entry>();
  readonly #rests: Timer;
  #closed = false;
  #isResting = false;

  constructor(deps: LoadedConversationsDeps) {
    this.#deps = deps;
    this.#rests = timers.every(deps.platform, REST_INTERVAL, () => void this.#rest(), { background: true });
  }

  get size(): number {
    return this.#entries.size;
  }

  get all(): readonly HostedConversation[] {
    return [...this.#entries.keys()].flatMap((id) => this.get(id) ?? []);
  }

  get(id: string): HostedConversation | undefined {
    const entry = this.#entries.get(id);
    return entry && !entry.closing ? entry.hosted : undefined;
  }

  /**
   * Returns a lease on the conversation, which `open` opens if needed. Rejects as `open`, and `CLOSED` after {@link
   * LoadedConversations.close}.
   */
  async lease(id: string, open: () => Promise<HostedConversation>): Promise<Lease> {
    for (;;) {
      if (this.#closed) throw new ServerClosingError(id);
      const known = this.#entries.get(id);
      if (known?.closing) {
        await known.closing;
        continue;
      }
      const entry = known ?? this.#load(id, open);
      const lease = await this.#leaseOn(entry).catch((error: unknown) => {
        // if another caller's open or make failed, this caller tries its own
        if (known) return undefined;
        throw error;
      });
      if (lease) return lease;
    }
  }

  /** Returns a lease if the conversation is open; opens nothing. */
  leaseLoaded(id: string): Lease | undefined {
    const entry = this.#entries.get(id);
    if (!entry?.hosted || entry.closing) return undefined;
    return this.#take(entry, entry.hosted);
  }

  /** Called when a conversation has no run left, so it may be unloaded when it is idle. */
  rested(id: string): void {
    const entry = this.#entries.get(id);
    if (entry) this.#look(entry);
  }

  /** Unloads the conversation now, unless it is in use. */
  async letGo(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry?.hosted && !isUsed(entry)) await this.#close(entry, entry.hosted, { reason: UNUSED });
  }

  /** Closes the conversation if it is loaded. False when it is not. Rejects as `after`. */
  async end(id: string, options: EndOptions): Promise<boolean> {
    const entry = this.#entries.get(id);
    if (!entry) return false;
    const hosted = await entry.opening.catch(() => undefined);
    if (entry.closing || !hosted) {
      await entry.closing;
      return this.end(id, options);
    }
    let failure: { readonly error: unknown } | undefined;
    const after = async (): Promise<void> => options.after?.().catch((error: unknown) => void (failure = { error }));
    await this.#close(entry, hosted, { ...options, after });
    if (failure) throw failure.error;
    return true;
  }

  /** Closes all conversations; none can be opened afterwards. */
  async close(options: EndOptions): Promise<void> {
    this.#closed = true;
    this.#rests.cancel();
    await Promise.all([...this.#entries.keys()].map((id) => this.end(id, options)));
  }

  /** Lets conversations rest one after the other, because each may store a snapshot. A look that takes longer than the interval is the next one, too. */
  async #rest(): Promise<void> {
    if (this.#isResting) return;
    this.#isResting = true;
    for (const entry of this.#entries.values()) {
      if (this.#closed) break;
      const { id, hosted, closing } = entry;
      if (hosted && !closing) await hosted.rest().catch((error: unknown) => this.#deps.report(error, id, 'resting'));
    }
    this.#isResting = false;
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
    const { ending } = hosted;
    const close = (): void => void this.#close(entry, hosted, { reason: ending.reason });
    ending.whenOver(close);
    // a conversation that ended while it was opened is given to no caller
    if (ending.isOver) close();
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
    entry.timer?.cancel();
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
    entry.timer?.cancel();
    const { hosted } = entry;
    if (!hosted || isUsed(entry)) return;
    const { platform, idleTimeout } = this.#deps;
    const unload = (): void => void this.#close(entry, hosted, { reason: UNUSED });
    entry.timer = platform.setTimer(idleTimeout, unload, { background: true });
  }

  #close(entry: Entry, hosted: HostedConversation, options: EndOptions): Promise<void> {
    // telling followers leads back here
    entry.closing ??= Promise.resolve().then(() => this.#giveUp(entry, hosted, options));
    return entry.closing;
  }

  async #giveUp(
    { id, timer }: Entry,
    hosted: HostedConversation,
    { reason, handOver, after }: EndOptions,
  ): Promise<void> {
    timer?.cancel();
    hosted.end(reason);
    await hosted.close(handOver).catch((error: unknown) => this.#deps.report(error, id, 'closing'));
    await after?.();
    this.#entries.delete(id);
  }
}

/** True if the conversation is in use or is already being unloaded. */
function isUsed({ hosted, closing, leases }: Entry): boolean {
  return closing !== undefined || leases > 0 || hosted?.busy === true;
}
