import { Turns } from '@conv/core/platform';

/**
 * The queue of a follower: all changes of the known state pass through it, one at a time, in order of arrival. Callers that ask for
 * the same look at the server share it while it waits.
 */
export class WorkLine {
  readonly #assertOpen: () => void;
  readonly #turns = new Turns();
  #waiting: { readonly whole: boolean; readonly done: Promise<void> } | undefined;

  /** `assertOpen` throws when no further work may begin. */
  constructor(assertOpen: () => void) {
    this.#assertOpen = assertOpen;
  }

  /** Runs the work behind all earlier work. Rejects as the work does, or as `assertOpen` throws when its turn comes. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.run(() => {
      // checked when the turn comes, not when asked: an earlier piece of work may have found that the log changed
      this.#assertOpen();
      return work();
    });
  }

  /** As {@link WorkLine.run}, or the same promise as an earlier call that asked for at least as much and has not begun. */
  share(whole: boolean, work: (whole: boolean) => Promise<void>): Promise<void> {
    if (this.#waiting && (this.#waiting.whole || !whole)) return this.#waiting.done;
    const done = this.run(() => {
      // an event that comes from here on may be too late for this look, so the next caller gets its own
      if (this.#waiting?.done === done) this.#waiting = undefined;
      return work(whole);
    });
    this.#waiting = { whole, done };
    return done;
  }
}
