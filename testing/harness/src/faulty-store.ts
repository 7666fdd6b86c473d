import { StoreError, type ConversationStore, type Journal, type StoreErrorCode } from '@conv/core/store';

import { WrappingStore, type JournalChanges } from './wrapping-store.ts';

/** A store in memory whose appends can be held, refused or fenced off. */
export class FaultyStore extends WrappingStore {
  readonly #lost = new AbortController();
  #appends = 0;
  /** Called before the n-th append, counted from 1 over all journals; throwing refuses it, waiting holds it. */
  onAppend: ((number: number) => void | Promise<void>) | undefined;
  /** Called before a fork, which waits for it. */
  onFork: (() => Promise<void>) | undefined;
  closed = false;

  /** The number of requested appends. */
  get appends(): number {
    return this.#appends;
  }

  /** Every append from now on is refused with this code. */
  refuse(code: StoreErrorCode = 'UNAVAILABLE'): void {
    this.onAppend = () => {
      throw new StoreError(code, 'told to fail');
    };
  }

  /** Another process takes the conversation over. */
  fenceOff(): void {
    this.refuse('FENCED');
    this.#lost.abort(new StoreError('FENCED', 'told to fail'));
  }

  protected override changes(journal: Journal): JournalChanges {
    const append: Journal['append'] = async (commit, after) => {
      const number = ++this.#appends;
      const held = this.onAppend?.(number);
      if (held) await held;
      return journal.append(commit, after);
    };
    return { append: () => append, lost: () => this.#lost.signal };
  }

  override async fork(...given: Parameters<ConversationStore['fork']>): Promise<void> {
    await this.onFork?.();
    return super.fork(...given);
  }

  override async close(): Promise<void> {
    this.closed = true;
    await super.close();
  }
}
