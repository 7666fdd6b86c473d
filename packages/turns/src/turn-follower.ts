import { checkConversation } from './check-arguments.ts';
import type { TurnChange } from './turn-change.ts';
import { turns, type FollowedConversation } from './turns.ts';

/**
 * Gives a client every change of a conversation from a cursor on, for as long as it is connected, and can tell when the client has
 * everything. Follows in rounds of {@link turns}: each round begins with what exists, so a new round proves that nothing is left.
 */
export class TurnFollower {
  /** Resolves when the follower is closed or the conversation is; rejects with the reason why it can no longer be followed. */
  readonly ended: Promise<void>;
  readonly #conversation: FollowedConversation;
  readonly #take: (change: TurnChange) => void | Promise<void>;
  readonly #closed = new AbortController();
  #round = new AbortController();
  #waiting: (() => void)[] = [];
  #cursor: number;

  /** @param take receives each change; the next one waits for its promise, and an error of it ends the follower */
  constructor(conversation: FollowedConversation, after: number, take: (change: TurnChange) => void | Promise<void>) {
    checkConversation('TurnFollower', conversation);
    this.#conversation = conversation;
    this.#cursor = after;
    this.#take = take;
    this.ended = this.#follow();
  }

  /** Resolves when everything was given that exists now, or the follower has ended. */
  async caughtUp(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    this.#round.abort();
    await promise;
  }

  /** Ends the follower. Idempotent. */
  close(): void {
    this.#closed.abort();
  }

  async #follow(): Promise<void> {
    try {
      while (!this.#closed.signal.aborted) await this.#tellRound();
    } finally {
      this.close();
      for (const done of this.#waiting.splice(0)) done();
    }
  }

  async #tellRound(): Promise<void> {
    const round = new AbortController();
    this.#round = round;
    const waiting = this.#waiting.splice(0);
    const signal = AbortSignal.any([round.signal, this.#closed.signal]);
    try {
      for await (const change of turns(this.#conversation, { after: this.#cursor, signal })) {
        await this.#take(change);
        this.#cursor = change.cursor;
        if (change.type === 'state') for (const done of waiting.splice(0)) done();
      }
      // the conversation closed
      this.close();
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      // a round that ended before its state proves nothing
      this.#waiting.unshift(...waiting);
    }
  }
}
