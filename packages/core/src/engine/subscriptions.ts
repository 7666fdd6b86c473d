import type { Subscription } from '../contract/conversation/subscriber.ts';
import type { StateFields } from '../contract/state/fields.ts';
import type { Cursor } from './cursor.ts';

/** The subscriptions of one conversation. A subscription leaves when it ends. */
export class Subscriptions {
  readonly #cursors = new Set<Cursor>();
  readonly #leave = (cursor: Cursor): unknown => this.#cursors.delete(cursor);

  /** Adds a cursor, unless it has ended, and lets it deliver what it has not delivered. Returns the cursor. */
  add(cursor: Cursor, state: StateFields): Subscription {
    if (cursor.hasEnded) return cursor;
    this.#cursors.add(cursor);
    cursor.onEnd = this.#leave;
    cursor.wake(state);
    return cursor;
  }

  /** True if a subscriber wants pieces of answers. */
  get wantsTokens(): boolean {
    return [...this.#cursors].some((cursor) => cursor.wantsTokens);
  }

  /** Calls `heard` with every cursor, for news outside the log such as a piece of a model's answer. */
  tell(heard: (cursor: Cursor) => void): void {
    for (const cursor of this.#cursors) heard(cursor);
  }

  /** Resolves when every subscriber has received the events before `index`, or has ended. */
  async caughtUp(index: number): Promise<void> {
    await Promise.all([...this.#cursors].map((cursor) => cursor.caughtUp(index)));
  }
}
