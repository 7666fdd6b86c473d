import type { GoalStatus, GoalVerdict } from '../../events/index.ts';

/** The outcome of the pursuit of a goal. */
export interface GoalOutcome {
  /**
   * `complete`: the judge found the whole objective reached. `capped`: the rounds are used up. `interrupted`: by a message of the
   * user, `stop`, `pause`, `interrupt`, a call that waits for a person, a run that ended in an error, a judge that failed, or a
   * crash; {@link ConversationGoal.resume} continues it.
   */
  readonly status: 'complete' | 'capped' | 'interrupted';
  /** The number of judged rounds, rounds before an interruption included. */
  readonly rounds: number;
  /** The last verdict of the judge; absent before the first. */
  readonly verdict?: GoalVerdict;
  /** The cause of the interruption, if the run or the judge failed and this runtime knows it: a {@link ConversationError}. */
  readonly error?: Error;
}

/**
 * Lets the agent work towards an objective until a judge finds it reached. The judge is a separate request to the agent's model,
 * which reads the events. A round is a run, a verdict on it and, while something is missing, a message that says what. A round is
 * counted in the commit that holds its verdict, so that no round counts twice, even when a process is killed in the middle of it.
 * Only one goal at a time.
 */
export interface ConversationGoal {
  /** The current or the last goal; `undefined` before the first. A goal that no process works on any more is `interrupted`. */
  readonly status: GoalStatus | undefined;
  /**
   * Sends the objective as a message of the user and works on it. Resolves when it is reached, capped or interrupted, see
   * {@link GoalOutcome}; `run` and `history.navigateTo` reject `BUSY` until then. Rejects `INVALID_INPUT` for a blank objective or a
   * `maxIterations` that is not a whole number from 1, `BUSY` during a run or another goal, `UNSUPPORTED` when the agent cannot
   * judge, and as `sendMessage` does; nothing is changed then. `maxIterations`: rounds, default 10. Aborting `signal` interrupts the
   * run or the judge.
   */
  pursue(
    objective: string,
    options?: { readonly maxIterations?: number; readonly signal?: AbortSignal },
  ): Promise<GoalOutcome>;
  /**
   * Resumes the interrupted goal, even after a restart, and continues its count. A finished run is judged; otherwise the run
   * continues. Approves nothing: calls that wait for a person interrupt the goal again. Resolves and rejects as `pursue` does;
   * `INVALID_INPUT` when there is no goal or it was not interrupted.
   */
  resume(options?: { readonly signal?: AbortSignal }): Promise<GoalOutcome>;
  /** Ends the goal as `interrupted`: the run pauses after its current step. Resolves when that is durable. Does nothing without a goal. */
  stop(): Promise<void>;
}
