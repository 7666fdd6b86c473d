/** A commit that waits to be stored, and the promise that its caller was given. */
export interface WaitingAppend {
  /** Its size, in the unit of {@link GroupLimits.size}. */
  readonly size: number;
  /**
   * The error of an item that cannot be stored. The item is rejected with it when its turn comes, and so are all items after it,
   * because they were made for a log that holds it.
   */
  readonly refusal: Error | undefined;
  /** Rejects the call that added the item. */
  readonly reject: (reason: unknown) => void;
}

/** The limits of a group. A commit that is larger than `size` is stored alone. */
export interface GroupLimits {
  readonly commits: number;
  readonly size: number;
}

/** The backend of an {@link AppendQueue}, which stores its groups. */
export interface AppendQueueParts<Item extends WaitingAppend> {
  readonly limits: GroupLimits;
  /**
   * Stores a group and resolves its items. If it rejects, the items that are not settled yet are rejected with the reason, and so is
   * everything that waits, as by {@link AppendQueue.refuse}.
   */
  readonly store: (group: readonly Item[]) => Promise<void>;
  /** Called before each group is taken. Items that are added until it resolves are in the group. */
  readonly gather?: () => Promise<void>;
  /** Called when the queue begins to work, and when it is empty again. */
  readonly onBusy?: (isBusy: boolean) => void;
}

/**
 * The queue of a journal: commits are stored in the order of the calls, one group at a time. While a group is being stored the next
 * one gathers, so that commits in flight share one flush or one round trip. No commit waits for a time to pass.
 *
 * A refusal and a failed `store` reject every item that was added before the caller learned of it. Later items are stored.
 */
export class AppendQueue<Item extends WaitingAppend> {
  readonly #parts: AppendQueueParts<Item>;
  #waiting: Item[] = [];
  #running: Promise<void> | undefined;

  constructor(parts: AppendQueueParts<Item>) {
    this.#parts = parts;
  }

  /** True if no item waits. A group may be on its way. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Adds an item. Items that are added in one turn of the event loop are stored together. */
  add(item: Item): void {
    this.#waiting.push(item);
    this.#running ??= this.#run();
  }

  /** Resolves when everything that was added is settled. Never rejects. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Rejects a group that is not stored, and everything that waits: it was made for a log that holds the group. */
  refuse(group: readonly Item[], reason: unknown): void {
    for (const { reject } of [...group, ...this.#waiting.splice(0)]) reject(reason);
  }

  async #run(): Promise<void> {
    await Promise.resolve();
    this.#parts.onBusy?.(true);
    while (this.#waiting.length > 0) await this.#next();
    this.#parts.onBusy?.(false);
    // Nothing is awaited between the last look at #waiting and here: an item that is added later starts the queue again.
    this.#running = undefined;
  }

  /** Stores the next group, or rejects the next refused item. Settles every item that it takes, and never rejects. */
  async #next(): Promise<void> {
    const { gather, store } = this.#parts;
    let group: readonly Item[] = [];
    try {
      // Items that are added during this await join the group.
      await gather?.();
      group = this.#take();
      if (group.length > 0) await store(group);
      else this.refuse([], this.#waiting[0]?.refusal);
    } catch (reason) {
      this.refuse(group, reason);
    }
  }

  /** Takes the next items that can be stored together; none if the first one is refused. */
  #take(): readonly Item[] {
    const { limits } = this.#parts;
    let [count, size] = [0, 0];
    for (const item of this.#waiting) {
      size += item.size;
      if (item.refusal !== undefined || count === limits.commits || (count > 0 && size > limits.size)) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }
}
