/** Times at which the other servers of a fleet last answered. */
export class OwnerSigns {
  readonly #isPeer: (owner: string) => boolean;
  readonly #isReady: (url: string) => Promise<boolean>;
  readonly #last = new Map<string, number>();

  /**
   * @param isPeer true for an owner that may be asked
   * @param isReady true for a server that takes requests; never rejects
   */
  constructor(isPeer: (owner: string) => boolean, isReady: (url: string) => Promise<boolean>) {
    this.#isPeer = isPeer;
    this.#isReady = isReady;
  }

  /** Asks these owners, and forgets all others. Resolves with the owners that take requests. */
  async ask(owners: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    for (const owner of this.#last.keys()) if (!owners.has(owner)) this.#last.delete(owner);
    const urls = [...owners].filter((owner) => this.#isPeer(owner));
    const answers = await Promise.all(urls.map(async (url) => ((await this.#isReady(url)) ? [url] : [])));
    const ready = new Set(answers.flat());
    for (const url of ready) this.#last.set(url, Date.now());
    return ready;
  }

  /** Returns the epoch milliseconds of the last heartbeat; `undefined` when there was none. */
  last(owner: string): number | undefined {
    return this.#last.get(owner);
  }
}
