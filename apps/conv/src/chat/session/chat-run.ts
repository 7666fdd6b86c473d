import type { Conversation, RunOptions, RunResult } from '@conv/core';

import { afterDecision, APPROVES_NOTHING } from '../../conversation/run-approvals.ts';

/** Dependencies of {@link ChatRun}. */
export interface ChatRunDeps {
  readonly conversation: Conversation;
  /** Lets the agent work. */
  readonly run: (options: Pick<RunOptions, 'approves'>) => Promise<RunResult>;
  /** Writes a short note into the log. */
  readonly note: (line: string) => void;
  /** Called with an error of a run, or of a request to stop. */
  readonly onFailure: (error: unknown) => void;
  /** Called when a run begins or ends. */
  readonly onChange: () => void;
}

/** The runs of a chat: at most one at a time, begun by messages and decisions, stopped by Ctrl-C. */
export class ChatRun {
  readonly #deps: ChatRunDeps;
  #running: Promise<void> | undefined;
  /** The reason for another run after this one: a message that the run may not have seen, or a decision that it waits for. */
  #again: 'message' | 'decision' | undefined;
  #stops = 0;
  #last: RunResult | undefined;
  #failure: unknown;

  constructor(deps: ChatRunDeps) {
    this.#deps = deps;
  }

  /** True if the agent works, for this chat or for another client. */
  get isWorking(): boolean {
    return this.#running !== undefined || this.#deps.conversation.state.executionStatus === 'running';
  }

  /** The result of the last run; `undefined` before the first run, and after a failure. */
  get last(): RunResult | undefined {
    return this.#last;
  }

  /** The error of the last run, if it failed. */
  get failure(): unknown {
    return this.#failure;
  }

  /**
   * Lets the agent work on a message, or continue where it stopped. During a run, another run follows if the message was not seen.
   */
  go(): void {
    this.#begin('message');
  }

  /** Lets the agent work on calls that were decided. The run that asked for the decision may still be ending. */
  goOn(): void {
    this.#begin('decision');
  }

  /** Stops the agent: the first time after its step, the second time at once. Returns false if it does not work. */
  stop(): boolean {
    if (!this.isWorking) return false;
    const { conversation, note, onFailure } = this.#deps;
    this.#stops += 1;
    this.#again = undefined;
    if (this.#stops === 1) note('pausing after this step; Ctrl-C again stops at once');
    if (this.#stops === 2) note('stopping at once');
    (this.#stops === 1 ? conversation.pause() : conversation.interrupt()).catch(onFailure);
    return true;
  }

  /** Resolves when this chat has no active run. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  #begin(reason: 'message' | 'decision'): void {
    if (this.#running !== undefined) this.#again = reason;
    else {
      this.#running = this.#work(reason);
      this.#deps.onChange();
    }
  }

  async #work(first: 'message' | 'decision'): Promise<void> {
    let reason: typeof first | undefined = first;
    // a message may be left of a run that ended with a question
    this.#again = undefined;
    this.#stops = 0;
    this.#failure = undefined;
    this.#last = undefined;
    try {
      do {
        const { conversation } = this.#deps;
        this.#last = await this.#deps.run(reason === 'decision' ? afterDecision(conversation) : APPROVES_NOTHING);
        const isDone: boolean = !this.#isNotDone(this.#last);
        reason = isDone ? undefined : this.#again;
        this.#again = undefined;
      } while (reason !== undefined);
    } catch (error) {
      this.#failure = error;
      this.#deps.onFailure(error);
    } finally {
      this.#running = undefined;
      this.#stops = 0;
      this.#deps.onChange();
    }
  }

  /** A message must not start a run that waits: that would reject the calls without a question. */
  #isNotDone({ status }: RunResult): boolean {
    if (this.#again === 'decision') return status === 'waiting_for_confirmation' || status === 'idle';
    return this.#again === 'message' && (status === 'finished' || status === 'idle');
  }
}
