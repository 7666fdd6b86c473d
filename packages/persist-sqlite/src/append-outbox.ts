import type { Platform } from '@conv/core/platform';
import type { StoreError } from '@conv/core/store';
import { flushPace } from '@conv/store-kit';
import type { AppendItem, AppendOutcome } from './calls.ts';
import { ThreadLost, type DatabaseThread } from './database-thread.ts';
import { toStoreError } from './failure.ts';
import type { WritesHere } from './writes-here.ts';

/** Refusals of commits, in their order; `undefined` for a commit that is durable. */
export type Refusals = readonly (StoreError | undefined)[];

interface Waiting {
  readonly items: readonly AppendItem[];
  readonly journal: object;
  readonly isAlone: boolean;
  readonly settle: (refusals: Refusals) => void;
}

/**
 * Hands commits to the writing thread. Groups of one turn of the event loop, of all conversations, go in one message. A commit that is
 * alone is written at once, see {@link WritesHere}.
 */
export class AppendOutbox {
  readonly #writes: DatabaseThread;
  readonly #here: WritesHere;
  readonly #platform: Platform;
  #waiting: Waiting[] = [];
  /** Messages that the thread has not answered. */
  #sent = 0;

  constructor(writes: DatabaseThread, here: WritesHere, platform: Platform) {
    this.#writes = writes;
    this.#here = here;
    this.#platform = platform;
  }

  /** Resolves with the refusals of a group of a journal. Never rejects. `isAlone`: it is one commit, and commits come one after the other. */
  append(items: readonly AppendItem[], journal: object, isAlone: boolean): Promise<Refusals> {
    return new Promise((settle) => {
      this.#waiting.push({ items, journal, isAlone, settle });
      if (this.#waiting.length === 1) queueMicrotask(() => void this.#send());
    });
  }

  /** Gives the rest of the process a turn, if appends have held it up for a while. */
  async turn(): Promise<void> {
    if (!this.#here.isLong) return;
    this.#here.isLong = false;
    await this.#platform.nextTurn();
  }

  async #send(): Promise<void> {
    const sent = this.#waiting;
    this.#waiting = [];
    const refusals = (await this.#atOnce(sent)) ?? (await this.#byThread(sent));
    let at = 0;
    for (const { items, settle } of sent) settle(refusals.slice(at, (at += items.length)));
  }

  /** Resolves with `undefined` if the thread must store the commits, which would wait for its own transaction otherwise. */
  async #atOnce(sent: readonly Waiting[]): Promise<Refusals | undefined> {
    const [only, another] = sent;
    const item = only?.items[0];
    if (!only || !item || another || this.#sent > 0 || (!only.isAlone && this.#writes.isStarted)) return undefined;
    if (only.items.length > 1) return undefined;
    const outcome = await this.#here.store(item, only.journal);
    return outcome === undefined ? undefined : toErrors([outcome]);
  }

  async #byThread(sent: readonly Waiting[]): Promise<Refusals> {
    const items = sent.flatMap((one) => one.items);
    const start = this.#platform.monotonic();
    const isReady = this.#writes.hasAnswered;
    this.#sent += 1;
    const refusals = await this.#outcomes(items);
    this.#sent -= 1;
    const [only] = sent;
    // the start of a thread says nothing about flushes
    if (only && items.length === 1 && this.#sent === 0 && isReady)
      flushPace.flushed(only.journal, start, this.#platform.monotonic(), false);
    return refusals;
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
