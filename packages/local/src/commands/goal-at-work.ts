import type { Transaction } from '@conv/core';

import { interruptGoal } from '../rules/goal-state.ts';

/** The goals of a conversation as its other commands see them. */
export interface WorkingGoals {
  readonly active: boolean;
  supersede(transaction: Transaction): void;
  end(): Promise<void>;
  interrupt(): Promise<void>;
}

/**
 * The goal that this process works on, for the commands that it excludes or that end it. The goals need runs, which is why they are made last; this holds
 * nothing until they are first used.
 */
export class GoalAtWork {
  #goals: WorkingGoals | undefined;

  /** True if this process works on a goal. */
  get active(): boolean {
    return this.#goals?.active === true;
  }

  /** Notes the goals when they are made. */
  made(goals: WorkingGoals): void {
    this.#goals = goals;
  }

  /** Ends the goal as interrupted in a commit, such as a user's message. An active run continues. */
  supersede(transaction: Transaction): void {
    if (this.#goals) this.#goals.supersede(transaction);
    else interruptGoal(transaction);
  }

  /** Ends the goal as interrupted: no further round, and a run pauses after its step. Resolves when durable. */
  end(): Promise<void> | undefined {
    return this.#goals?.end();
  }

  /** Cancels the judge and its run. Resolves when this process no longer works on a goal. */
  interrupt(): Promise<void> | undefined {
    return this.#goals?.interrupt();
  }
}
