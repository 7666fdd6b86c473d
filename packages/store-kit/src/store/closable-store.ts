import { StoreError, type JournalReader } from '@conv/core/store';

/** A reader or journal that a store has opened. */
export interface Opened extends JournalReader {
  /** Called once when it is closed. {@link ClosableStore.keep} sets it. */
  onClosed?: () => void;
}

/**
 * The life of a store: it knows the operations under way and the readers and journals that are open, and closes all of it. The
 * adapter adds what it must give back last, {@link ClosableStore.end}.
 */
export abstract class ClosableStore<Reader extends Opened = Opened> {
  /** The name of the store for errors, such as `database conversations.db`. */
  protected readonly storeName: string;
  readonly #opened = new Set<Reader>();
  readonly #running = new Set<Promise<unknown>>();
  #isClosed = false;
  #closing: Promise<void> | undefined;

  constructor(name: string) {
    this.storeName = name;
  }

  /**
   * Waits for the operations under way, closes what is open, then ends the store. Idempotent. If a journal could not be closed,
   * rejects with its error, and the next call tries again.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closing ??= this.#close();
    try {
      await this.#closing;
    } catch (error) {
      this.#closing = undefined;
      throw error;
    }
  }

  /** Gives back what the store holds, once everything that it opened is closed. */
  protected async end(): Promise<void> {}

  /** Returns the error to throw for an error of an operation on `subject`. Default: the error itself. */
  protected toThrow(error: unknown, _subject: string): unknown {
    return error;
  }

  /** The readers and journals that are open. */
  protected get opened(): Iterable<Reader> {
    return this.#opened;
  }

  /** Adds a reader or journal until it is closed, and calls `onClosed` then. Returns it. */
  protected keep<One extends Reader>(opened: One, onClosed?: () => void): One {
    this.#opened.add(opened);
    opened.onClosed = () => {
      this.#opened.delete(opened);
      onClosed?.();
    };
    return opened;
  }

  /** Throws `CLOSED` from the first `close` on. */
  protected assertOpen(): void {
    if (this.#isClosed) throw new StoreError('CLOSED', `${this.storeName} is closed; make another store`);
  }

  /** Runs an operation that closing waits for. An abort passes through as it is. */
  protected async run<Value>(subject: string, action: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    const running = action();
    this.#running.add(running);
    try {
      return await running;
    } catch (error) {
      throw signal?.aborted && error === signal.reason ? error : this.toThrow(error, subject);
    } finally {
      this.#running.delete(running);
    }
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#running);
    const closed = await Promise.allSettled([...this.#opened].map((opened) => opened.close()));
    await this.end();
    for (const one of closed) if (one.status === 'rejected') throw one.reason;
  }
}
