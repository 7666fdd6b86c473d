import type { ExecutionStatus, Metrics } from '@conv/core';

import type { TurnChange } from './turn-change.ts';
import type { TurnItem } from './turn-item.ts';

/** An answer in progress, as far as its pieces came. */
export interface PartialAnswer {
  readonly id: string;
  readonly text: string;
  readonly reasoning: string;
}

/**
 * The items that a client shows of a conversation: a fold of changes. A client that comes back calls {@link TurnView.resume} and takes the changes
 * after `cursor`; then it shows what a client shows that never left.
 */
export class TurnView {
  readonly #items = new Map<string, TurnItem>();
  #cursor = -1;
  #answer: PartialAnswer | undefined;
  #status: ExecutionStatus | undefined;
  #metrics: Metrics | undefined;

  /** The items, in the order of their events. */
  get items(): readonly TurnItem[] {
    return [...this.#items.values()].toSorted((one, other) => one.index - other.index);
  }

  /** The cursor of the last change; -1 before the first. */
  get cursor(): number {
    return this.#cursor;
  }

  /** The answer in progress; `undefined` if there is none, or nothing of it came. */
  get answer(): PartialAnswer | undefined {
    return this.#answer;
  }

  /** The status; `undefined` until the view has caught up once. */
  get status(): ExecutionStatus | undefined {
    return this.#status;
  }

  /** The cost; `undefined` until the view has caught up once. */
  get metrics(): Metrics | undefined {
    return this.#metrics;
  }

  /** Takes in the next change. */
  take(change: TurnChange): void {
    this.#cursor = change.cursor;
    if (change.type === 'item') {
      this.#items.set(change.item.id, change.item);
      if (change.item.id === this.#answer?.id || this.#answer?.id === '') this.#answer = undefined;
    }
    if (change.type === 'piece') {
      const { id, part, text } = change;
      const before = this.#answer?.id === id ? this.#answer : { id, text: '', reasoning: '' };
      this.#answer = { ...before, [part]: before[part] + text };
    }
    if (change.type === 'withdrawn' && change.id === this.#answer?.id) this.#answer = undefined;
    if (change.type === 'state') [this.#status, this.#metrics] = [change.status, change.metrics];
  }

  /** Drops the answer in progress, of which the next changes tell the whole or nothing. Returns the cursor. */
  resume(): number {
    this.#answer = undefined;
    return this.#cursor;
  }
}
