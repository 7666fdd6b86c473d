import { abortable, type StateFields } from '@conv/core';

import type { RunEvent, RunPhase, RunProgress } from './run-phase.ts';
import { nextPhase } from './run-transitions.ts';
import { nextRequest, type StopCommand, type StopRequest } from './stop-request.ts';

const REASONS = { abandoned: 'handed over', interrupted: 'interrupted' } as const;

/** The state of a run: its phase, and the request to stop. The signal is aborted as soon as the request ends the run. */
export class RunMachine {
  readonly #controller = new AbortController();
  #phase: RunPhase = { kind: 'queued' };
  #request: StopRequest = 'none';

  get phase(): RunPhase {
    return this.#phase;
  }

  get progress(): RunProgress | undefined {
    return 'progress' in this.#phase ? this.#phase.progress : undefined;
  }

  /** The strongest request to stop. */
  get request(): StopRequest {
    return this.#request;
  }

  /** Aborted when the run was abandoned or interrupted. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Enters the next phase. */
  on(event: RunEvent): void {
    this.#phase = nextPhase(this.#phase, event);
  }

  /** Takes a request to stop. */
  ask(command: StopCommand): void {
    const { state, effects } = nextRequest(this.#request, command);
    // stored before the abort: its listeners find the request that caused it
    this.#request = state;
    if (effects.length > 0 && state in REASONS)
      this.#controller.abort(new DOMException(REASONS[state as keyof typeof REASONS], 'AbortError'));
  }

  /** Resolves when the work is done. Rejects with `signal.reason`. */
  async waitFor(work: Promise<unknown> | undefined): Promise<void> {
    if (work) await abortable(work, this.signal);
  }

  /** True if the newest user message came after the messages that the run answers. */
  hasUnseenMessage({ lastUserMessageId }: Pick<StateFields, 'lastUserMessageId'>): boolean {
    return lastUserMessageId !== (this.progress?.seenMessageId ?? null);
  }
}
