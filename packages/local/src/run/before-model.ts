import type { StuckFinding } from '@conv/core';

import type { ConversationHooks } from '../safeguards/conversation-hooks.ts';
import type { PromptHooks } from '../safeguards/prompt-hooks.ts';
import type { StuckWatch } from '../safeguards/stuck-watch.ts';

/** What happens right before the model is asked: hooks of the session and of messages, and the look for loops. */
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

  /** What the run was ended for, when it went round in a circle. */
  get stuck(): StuckFinding | undefined {
    return this.#stuck;
  }

  /** Whether anything is to be done: a step without does not wait for nothing. */
  get due(): boolean {
    return this.#hooks.sessionBegins || this.#prompts.due || this.#watch.active;
  }

  /** May end the run. Rejects with `signal.reason` when interrupted. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#hooks.sessionBegins) await this.#hooks.beginSession(signal);
    if (this.#prompts.due) await this.#prompts.run(signal);
    if (this.#goesOn() && this.#watch.active) this.#stuck = await this.#watch.look();
    signal.throwIfAborted();
  }
}
