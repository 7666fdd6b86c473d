import { timers, type Platform } from '@conv/core/platform';

import type { OpenServer } from './open-server.ts';
import { NotAnswered, ServerFault } from './server-fault.ts';

/** A server to use until it is released. */
export interface Lease {
  readonly server: OpenServer;
  /** True if the connection was made for this lease. */
  readonly isNew: boolean;
  /** Ends the lease; call it once. With `spent` this connection is not leased again. */
  readonly release: (options?: { readonly spent: boolean }) => void;
}

export interface ServerLinkDeps {
  readonly platform: Platform;
  /** Makes the connection. It must leave nothing behind when it rejects. */
  readonly open: (limit: AbortSignal) => Promise<OpenServer>;
  /** Milliseconds for `open`. */
  readonly timeout: number;
}

interface Held {
  readonly server: OpenServer;
  users: number;
  isSpent: boolean;
}

/** The connection to a server: made on demand, and closed when it is spent and its last lease is released. */
export class ServerLink {
  readonly #deps: ServerLinkDeps;
  readonly #closing: AbortController = new AbortController();
  /** The tasks that `close` waits for. */
  readonly #tasks: Set<Promise<unknown>> = new Set();
  #held: Promise<Held> | undefined;

  constructor(deps: ServerLinkDeps) {
    this.#deps = deps;
  }

  /** Resolves a lease. Rejects as `open` does, with {@link NotAnswered}, and with {@link ServerFault} after `close`. */
  async lease(): Promise<Lease> {
    const current = await this.#usable();
    const held = current ?? (await (this.#held ?? this.#reopen()));
    held.users += 1;
    return {
      server: held.server,
      isNew: !current,
      release: ({ spent } = { spent: false }) => {
        held.users -= 1;
        held.isSpent ||= spent;
        this.#closeUnused(held);
      },
    };
  }

  /** Ends the connection at once, also if it is still being made. Resolves when nothing is left; never rejects. */
  async close(): Promise<void> {
    this.#closing.abort(new ServerFault('refused', 'it was closed with the conversation'));
    const held = await this.#held?.catch(() => undefined);
    await held?.server.close();
    await Promise.allSettled(this.#tasks);
  }

  async #usable(): Promise<Held | undefined> {
    for (;;) {
      const opening = this.#held;
      const held = await opening?.catch(() => undefined);
      if (held && !held.isSpent && held.server.lost() === undefined) return held;
      // another caller has reopened the connection meanwhile
      if (opening !== this.#held) continue;
      this.#held = undefined;
      if (held) {
        held.isSpent = true;
        this.#closeUnused(held);
      }
      return undefined;
    }
  }

  #closeUnused(held: Held): void {
    if (held.isSpent && held.users === 0) this.#keep(held.server.close());
  }

  #reopen(): Promise<Held> {
    const opening = this.#openInTime();
    this.#held = opening;
    this.#keep(opening);
    return opening;
  }

  async #openInTime(): Promise<Held> {
    const { platform, open, timeout } = this.#deps;
    using limit = timers.deadline(platform, timeout, { signal: this.#closing.signal });
    try {
      limit.throwIfAborted();
      const server = await open(limit);
      if (limit.aborted) await server.close();
      limit.throwIfAborted();
      return { server, users: 0, isSpent: false };
    } catch (error) {
      this.#closing.signal.throwIfAborted();
      throw limit.aborted ? new NotAnswered(timeout) : error;
    }
  }

  #keep(task: Promise<unknown>): void {
    const kept = task.catch(() => undefined).finally(() => this.#tasks.delete(kept));
    this.#tasks.add(kept);
  }
}
