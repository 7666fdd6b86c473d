import { ConversationError } from '@conv/core';

import type { ActiveRun } from '../run/active-run.ts';
import { goalInProgress, runInProgress } from '../rules/at-work.ts';
import type { GoalAtWork } from './goal-at-work.ts';

/** The time from the opening of a conversation to its close: says if it accepts a command. */
export class Lifetime {
  readonly #id: string;
  readonly #active: ActiveRun;
  readonly #goal: GoalAtWork;
  /** Made when a signal is first asked for, because a signal takes memory and an idle conversation needs none. */
  #end: AbortController | undefined;
  #closing: Promise<void> | undefined;

  constructor(id: string, active: ActiveRun, goal: GoalAtWork) {
    this.#id = id;
    this.#active = active;
    this.#goal = goal;
  }

  /** Aborted by {@link Lifetime.end}. */
  get ended(): AbortSignal {
    return (this.#end ??= new AbortController()).signal;
  }

  /** Throws `CLOSED` after the conversation was closed. */
  assertOpen(): void {
    if (this.#closing) throw this.#error('was closed; open it again with resume');
  }

  /** Throws `CLOSED` after the conversation was closed, and `BUSY` while a run or a goal is at work. */
  assertFree(): void {
    this.assertOpen();
    if (this.#active.run) throw runInProgress(this.#id);
    if (this.#goal.active) throw goalInProgress(this.#id);
  }

  /** Begins the close, which `work` does. Happens once: later calls share the promise of the first one. */
  close(work: () => Promise<void>): Promise<void> {
    return (this.#closing ??= work());
  }

  /** Aborts the work of commands, when runs, goals and children have ended. */
  end(): void {
    (this.#end ??= new AbortController()).abort(this.closedError());
  }

  /** Returns the error of work that the close cancels. */
  closedError(): ConversationError {
    return this.#error('is closed; open it again');
  }

  #error(text: string): ConversationError {
    return new ConversationError('CLOSED', `conversation ${this.#id} ${text}`, { conversationId: this.#id });
  }
}
