import type { StateFields } from '@conv/core';
import { type ActionEvent, isEvent } from '@conv/core/events';
import { toEventIndex, type Journal, type NewCommit } from '@conv/core/store';

import type { CommittedWork } from './committed-work.ts';

/**
 * Tells a {@link CommittedWork} of the commits of a journal, in their order. A call that was asked for before the journal was opened is
 * read from the log first; until then later commits wait here. Delays no append.
 */
export class ToldCommits {
  readonly #journal: Journal;
  readonly #work: CommittedWork;
  readonly #report: (error: unknown) => void;
  /** Settles when all that wait are told; `undefined` if none waits. */
  #waiting: Promise<void> | undefined;

  constructor(journal: Journal, work: CommittedWork, report: (error: unknown) => void) {
    this.#journal = journal;
    this.#work = work;
    this.#report = report;
  }

  /** Tells of a durable commit. */
  tell(commit: NewCommit, after: StateFields): void {
    const told = (): void => this.#work.committed(commit, after);
    if (!this.#waiting && this.#work.unknownActions(commit).length === 0) this.after(told);
    else this.#wait(this.#learned(this.#waiting, commit).then(() => this.#safely(told)));
  }

  /** Does work after everything that waits was told: at once if nothing waits. Errors of the work are reported. */
  after(work: () => void): void {
    if (this.#waiting) this.#wait(this.#waiting.then(() => this.#safely(work)));
    else this.#safely(work);
  }

  #wait(waiting: Promise<void>): void {
    const settled = waiting.then(() => {
      if (this.#waiting === settled) this.#waiting = undefined;
    });
    this.#waiting = settled;
  }

  /** Reads the actions of a commit that are older than the journal. */
  async #learned(before: Promise<void> | undefined, commit: NewCommit): Promise<void> {
    await before;
    try {
      for (const id of this.#work.unknownActions(commit)) {
        const action = await this.#read(id);
        if (action) this.#work.ask(action);
      }
    } catch (error) {
      this.#report(error);
    }
  }

  async #read(actionId: string): Promise<ActionEvent | undefined> {
    const fromEvent = await this.#journal.locate(actionId);
    if (fromEvent === undefined) return undefined;
    for await (const { events } of this.#journal.commits({ fromEvent, toEvent: toEventIndex(fromEvent + 1) })) {
      const action = events.find((event) => event.id === actionId);
      if (action && isEvent(action, 'ActionEvent')) return action;
    }
    return undefined;
  }

  #safely(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#report(error);
    }
  }
}
