import { StoreError } from '@conv/core/store';

/** The right of a journal to write: until it is closed, or another owner has the conversation. */
export class WriteAccess {
  readonly #id: string;
  readonly #lost = new AbortController();
  #closing: Promise<void> | undefined;

  /** Takes the id of the conversation, for errors. */
  constructor(id: string) {
    this.#id = id;
  }

  /** Aborted with the reason once another owner has the conversation. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Ends the writing because another owner has the conversation. Returns false if it had ended for that before. */
  lose(reason: unknown): boolean {
    if (this.lost.aborted) return false;
    this.#lost.abort(reason);
    return true;
  }

  /** Throws `CLOSED` from the first `close` on, or the reason of `lose`. */
  assert(): void {
    if (this.#closing) throw new StoreError('CLOSED', `conversation ${this.#id} is closed; open it again`);
    this.lost.throwIfAborted();
  }

  /** Closes by the action of the first call; later calls resolve or reject as it does. */
  close(action: () => Promise<void>): Promise<void> {
    this.#closing ??= action();
    return this.#closing;
  }
}
