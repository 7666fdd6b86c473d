import { checkConversation } from './check-arguments.ts';
import type { TurnChange } from './turn-change.ts';
import { TurnStream, type FollowedConversation } from './turn-stream.ts';

/**
 * Gives a client every change of a conversation from a cursor on, for as long as it is connected, and can tell when the client has
 * everything.
 */
export class TurnFollower {
  /** Resolves when the follower is closed or the conversation is; rejects with the reason why it can no longer be followed. */
  readonly ended: Promise<void>;
  readonly #changes: TurnStream;
  readonly #closed = new AbortController();

  /**
   * Throws `INVALID_INPUT` for a cursor that this conversation does not know.
   * @param take receives each change; the next one waits for its promise, and an error of it ends the follower
   */
  constructor(conversation: FollowedConversation, after: number, take: (change: TurnChange) => void | Promise<void>) {
    checkConversation('TurnFollower', conversation);
    this.#changes = new TurnStream(conversation, { after, signal: this.#closed.signal });
    this.ended = this.#follow(take);
  }

  /** Resolves when everything was given that exists now, or the follower has ended. */
  caughtUp(): Promise<void> {
    return this.#changes.caughtUp();
  }

  /** Ends the follower. Idempotent. */
  close(): void {
    this.#closed.abort();
  }

  async #follow(take: (change: TurnChange) => void | Promise<void>): Promise<void> {
    try {
      for await (const change of this.#changes) await take(change);
    } catch (error) {
      if (!this.#closed.signal.aborted) throw error;
    }
  }
}
