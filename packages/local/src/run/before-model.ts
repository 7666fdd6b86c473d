import type { StuckFinding } from '@conv/core';

import type { ConversationHooks } from '../safeguards/conversation-hooks.ts';
import type { PromptHooks } from '../safeguards/prompt-hooks.ts';
import type { StuckWatch } from '../safeguards/stuck-watch.ts';

/** Runs the checks right before the model is asked: hooks of the session and of messages, and the detection of loops. */
export class BeforeModel {
  readonly #hooks: ConversationHooks;
  readonly #prompts: PromptHooks;
  readonly #watch: StuckWatch;
  readonly #goesOn: () => boolean;
  #stuck: StuckFinding | undefined;

  constructor(hooks: ConversationHooks, prompts: PromptHooks, watch: StuckWatch, goesOn: () => boolean) {
    this.#hooks = hooks;
    this.#prompts = prompts;
    this.#watch = watch;
    this.#goesOn = goesOn;
  }

  /** The loop that ended the run; `undefined` when there was none. */
  get stuck(): StuckFinding | undefined {
    return this.#stuck;
  }

  /** True if there is a check to run, so that a step without checks does not wait. */
  get due(): boolean {
    return this.#hooks.sessionBegins || this.#prompts.due || this.#watch.active;
  }

  /** Runs the checks, which may end the run. Rejects with `signal.reason` when interrupted. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#hooks.sessionBegins) await this.#hooks.beginSession(signal);
    if (this.#prompts.due) await this.#prompts.run(signal);
    // a hook may have ended the run
    if (this.#goesOn() && this.#watch.active) this.#stuck = await this.#watch.look();
    signal.throwIfAborted();
  }
}
