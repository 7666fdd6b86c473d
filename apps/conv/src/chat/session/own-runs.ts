import type { ExecutionStatus, StateFields } from '@conv/core';
import type { TerminalVisualizer } from '@conv/visualize';

/** Dependencies of {@link OwnRuns}. */
export interface OwnRunsDeps {
  readonly visualizer: Pick<TerminalVisualizer, 'onStateChange'>;
  /** Returns the state that is known now. */
  readonly state: () => StateFields;
  /** Resolves when the events that are known now are on the screen. */
  readonly caughtUp: () => Promise<void>;
}

/**
 * Shows the states of a conversation in which this chat starts runs. A server of the first version may tell too late that a run began,
 * or never, if it was short. So a run is shown from the moment at which the chat starts it, and each run ends with a line.
 */
export class OwnRuns {
  readonly #deps: OwnRunsDeps;
  /** The status before the run that was started; `undefined` once the server told of the run, and without a run. */
  #before: ExecutionStatus | undefined;

  constructor(deps: OwnRunsDeps) {
    this.#deps = deps;
  }

  /** Shows a state, but not an old one in the place of the run that has begun. */
  async show(state: StateFields): Promise<void> {
    const isOld = this.#before !== undefined && [this.#before, 'idle'].includes(state.executionStatus);
    if (!isOld) this.#before = undefined;
    await this.#deps.visualizer.onStateChange(isOld ? { ...state, executionStatus: 'running' } : state);
  }

  /** Starts a run, shows that it works, and shows its end if no state did. Settles as the run does. */
  async during<Result>(run: () => Promise<Result>): Promise<Result> {
    const { visualizer, state, caughtUp } = this.#deps;
    const now = state();
    this.#before = now.executionStatus;
    await visualizer.onStateChange({ ...now, executionStatus: 'running' });
    try {
      return await run();
    } finally {
      await caughtUp();
      this.#before = undefined;
      await visualizer.onStateChange(state());
    }
  }
}
