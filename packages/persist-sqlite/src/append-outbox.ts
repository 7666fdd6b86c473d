import type { StoreError } from '@conv/core/store';
import type { AppendItem, AppendOutcome } from './calls.ts';
import { ThreadLost, type DatabaseThread } from './database-thread.ts';
import { toStoreError } from './failure.ts';

interface Waiting {
  readonly item: AppendItem;
  readonly settle: (refusal: StoreError | undefined) => void;
}

/** Hands commits to the writing thread. Commits of one turn of the event loop, of all conversations, go in one message. */
export class AppendOutbox {
  readonly #writes: DatabaseThread;
  #waiting: Waiting[] = [];

  constructor(writes: DatabaseThread) {
    this.#writes = writes;
  }

  /** Resolves in the order of the calls: with the reason of the refusal, or with `undefined` when the commit is durable. */
  append(item: AppendItem): Promise<StoreError | undefined> {
    return new Promise((settle) => {
      this.#waiting.push({ item, settle });
      if (this.#waiting.length === 1) queueMicrotask(() => void this.#send());
    });
  }

  async #send(): Promise<void> {
    const sent = this.#waiting;
    this.#waiting = [];
    const refusals = await this.#outcomes(sent.map(({ item }) => item));
    sent.forEach(({ settle }, at) => settle(refusals[at]));
  }

  async #outcomes(items: readonly AppendItem[]): Promise<readonly (StoreError | undefined)[]> {
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
          message: `commit ${id} of conversation ${conversation}: whether it was stored could not be found out`,
          cause,
        }),
      );
    }
  }
}

function toErrors(outcomes: readonly AppendOutcome[]): readonly (StoreError | undefined)[] {
  return outcomes.map((outcome) => (outcome === null ? undefined : toStoreError(outcome)));
}
