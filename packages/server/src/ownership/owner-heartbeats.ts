import type { Platform } from '@conv/core/platform';

export interface OwnerHeartbeatsDeps {
  readonly platform: Pick<Platform, 'now'>;
  /** True for an owner that may be asked. */
  readonly isPeer: (owner: string) => boolean;
  /** Resolves with true for a server that takes requests. Never rejects. */
  readonly isReady: (url: string) => Promise<boolean>;
}

/** Times at which the other servers of a fleet last answered. */
export class OwnerHeartbeats {
  readonly #deps: OwnerHeartbeatsDeps;
  readonly #last = new Map<string, number>();

  constructor(deps: OwnerHeartbeatsDeps) {
    this.#deps = deps;
  }

  /** Asks these owners, and forgets all others. Resolves with the owners that take requests. */
  async ask(owners: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const { platform, isPeer, isReady } = this.#deps;
    for (const owner of this.#last.keys()) if (!owners.has(owner)) this.#last.delete(owner);
    const urls = [...owners].filter((owner) => isPeer(owner));
    const answers = await Promise.all(urls.map(async (url) => ((await isReady(url)) ? [url] : [])));
    const ready = new Set(answers.flat());
    for (const url of ready) this.#last.set(url, platform.now());
    return ready;
  }

  /** Returns the epoch milliseconds of the last heartbeat; `undefined` when there was none. */
  last(owner: string): number | undefined {
    return this.#last.get(owner);
  }
}
