import type { AnswerDelta, Subscription } from '../contract/conversation/subscriber.ts';
import type { StateFields } from '../contract/state/fields.ts';
import type { Cursor } from './cursor.ts';

/** The subscriptions of one conversation. A subscription leaves when it ends. */
export class Subscriptions {
  readonly #cursors = new Set<Cursor>();

  /** Adds a cursor, unless it has ended, and lets it deliver what it has not delivered. Returns the cursor. */
  add(cursor: Cursor, state: StateFields): Subscription {
    if (cursor.ended.aborted) return cursor;
    this.#cursors.add(cursor);
    cursor.ended.addEventListener('abort', () => this.#cursors.delete(cursor), { once: true });
    cursor.wake(state);
    return cursor;
  }

  /** True if a subscriber wants pieces of answers. */
  get wantsTokens(): boolean {
    return [...this.#cursors].some((cursor) => cursor.wantsTokens);
  }

  /** Tells every cursor that there may be more to deliver. */
  wake(state: StateFields): void {
    for (const cursor of this.#cursors) cursor.wake(state);
  }

  /** Hands a piece of a model's answer to the subscribers that want it. */
  token(delta: AnswerDelta): void {
    for (const cursor of this.#cursors) cursor.token(delta);
  }

  /** Tells the subscribers that no event will have this id. */
  answerAborted(eventId: string, reason: 'cancelled' | 'failed'): void {
    for (const cursor of this.#cursors) cursor.answerAborted(eventId, reason);
  }

  /** Resolves when every subscriber has received the events before `index`, or has ended. */
  async caughtUp(index: number): Promise<void> {
    await Promise.all([...this.#cursors].map((cursor) => cursor.caughtUp(index)));
  }

  /** Ends every subscription and reports the reason. */
  fail(error: unknown): void {
    for (const cursor of this.#cursors) cursor.fail(error);
  }

  /** Ends every subscription. */
  close(): void {
    for (const cursor of this.#cursors) cursor.unsubscribe();
  }
}
