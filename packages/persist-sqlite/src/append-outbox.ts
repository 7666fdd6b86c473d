import type { StoreError } from '@conv/core/store';
import type { AppendItem, AppendOutcome } from './calls.ts';
import { ThreadLost, type DatabaseThread } from './database-thread.ts';
import { toStoreError } from './failure.ts';

/** Refusals of commits, in their order; `undefined` for a commit that is durable. */
export type Refusals = readonly (StoreError | undefined)[];

interface Waiting {
  readonly items: readonly AppendItem[];
  readonly settle: (refusals: Refusals) => void;
}

/** Hands commits to the writing thread. Groups of one turn of the event loop, of all conversations, go in one message. */
export class AppendOutbox {
  readonly #writes: DatabaseThread;
  #waiting: Waiting[] = [];

  constructor(writes: DatabaseThread) {
    this.#writes = writes;
  }

  /** Resolves with the refusals of a group. Never rejects. */
  append(items: readonly AppendItem[]): Promise<Refusals> {
    return new Promise((settle) => {
      this.#waiting.push({ items, settle });
      if (this.#waiting.length === 1) queueMicrotask(() => void this.#send());
    });
  }

  async #send(): Promise<void> {
    const sent = this.#waiting;
    this.#waiting = [];
    const refusals = await this.#outcomes(sent.flatMap(({ items }) => items));
    let at = 0;
    for (const { items, settle } of sent) settle(refusals.slice(at, (at += items.length)));
  }

  async #outcomes(items: readonly AppendItem[]): Promise<Refusals> {
    try {
      return toErrors(await this.#writes.call('append', items));
    } catch (error) {
      if (!(error instanceof ThreadLost)) return items.map(() => error as StoreError);
    }
    try {
      // The lost thread may have stored the commits without an answer, so its successor looks for them. Without a certain result
      // the code is `OUTCOME_UNKNOWN`.
      return toErrors(await this.#writes.call('settle', items));
    } catch (cause) {
      return items.map(({ id, conversation }) =>
        toStoreError({
          code: 'OUTCOME_UNKNOWN',
          message: `commit ${id} of conversation ${conversation}: whether it was stored is not known; open the conversation again to see`,
          cause,
        }),
      );
    }
  }
}

function toErrors(outcomes: readonly AppendOutcome[]): Refusals {
  return outcomes.map((outcome) => (outcome === null ? undefined : toStoreError(outcome)));
}
