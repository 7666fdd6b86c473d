import { checkOpenOptions, StoreError, toConversationId, type OpenOptions } from '@conv/core/store';

/** A reader or journal that a store has opened. */
export interface Opened {
  /** Called once when it is closed. {@link StoreUses.keep} sets it. */
  onClosed: () => void;
  /** Gives back what it holds. Resolves when that is done; a second call waits for the first. */
  close(): Promise<void>;
}

/** The readers and journals that a store has opened, and its operations under way. All must end before its connections do. */
export class StoreUses<Reader extends Opened> implements Iterable<Reader> {
  readonly #name: string;
  readonly #opened = new Set<Reader>();
  readonly #running = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  /** Takes the name of the store, for errors. */
  constructor(name: string) {
    this.#name = name;
  }

  /** Iterates over the open readers and journals. */
  [Symbol.iterator](): Iterator<Reader> {
    return this.#opened.values();
  }

  /** Adds a reader or journal until it is closed. Returns it. */
  keep<One extends Reader>(opened: One): One {
    this.#opened.add(opened);
    opened.onClosed = () => this.#opened.delete(opened);
    return opened;
  }

  /** Runs an operation that closing waits for. */
  async run<Value>(action: () => Promise<Value>): Promise<Value> {
    const running = action();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Acquires a conversation as `ConversationStore.open` does: an abort meanwhile closes the journal again. */
  async open<Journal extends Reader>(
    id: string,
    options: OpenOptions,
    acquire: (dashed: string) => Promise<Journal>,
  ): Promise<Journal> {
    checkOpenOptions(options);
    options.signal?.throwIfAborted();
    const dashed = this.id(id);
    return this.run(async () => {
      const journal = await acquire(dashed);
      if (!options.signal?.aborted) return journal;
      await journal.close();
      throw options.signal.reason;
    });
  }

  /** Throws `CLOSED` from the first `close` on. */
  assertOpen(): void {
    if (this.#closing) throw new StoreError('CLOSED', `${this.#name} is closed`);
  }

  /** Returns the id as a dashed UUID. Throws `CLOSED` and `INVALID_ID`. */
  id(id: string): string {
    this.assertOpen();
    return toConversationId(id);
  }

  /** Waits for the operations, closes what is open, then calls `end`, all once. */
  close(end: () => Promise<unknown>): Promise<void> {
    this.#closing ??= this.#close(end);
    return this.#closing;
  }

  async #close(end: () => Promise<unknown>): Promise<void> {
    await Promise.allSettled(this.#running);
    await Promise.all([...this.#opened].map((opened) => opened.close()));
    await end();
  }
}
