import type { SessionModeState } from '@agentclientprotocol/sdk/unstable';

/** Modes in which programs ask before they change anything, by their names: of Claude Code, Gemini CLI and Qwen Code; and of Codex. */
const ASKING: readonly string[] = ['default', 'read-only'];

/** A mode in which programs only plan, which is never left for another one. */
const PLAN = 'plan';

/**
 * The modes of a session of a program. Programs decide about permissions themselves in their own mode, often without a question. A policy that asks
 * needs a mode in which the program asks (decision 199).
 */
export class Modes {
  readonly #own: string;
  readonly #asking: string | undefined;
  #current: string;

  constructor({ currentModeId, availableModes }: SessionModeState) {
    this.#own = this.#current = currentModeId;
    this.#asking = ASKING.find((asking) => availableModes.some(({ id }) => id === asking));
  }

  /** Notes the mode that the session has now. */
  is(mode: string): void {
    this.#current = mode;
  }

  /** Returns the mode to change to: one in which the program asks, if `asks`, else its own; `undefined` when it is right as it is. */
  wanted(asks: boolean): string | undefined {
    if (this.#current === PLAN) return undefined;
    if (!asks) return this.#current === this.#asking && this.#own !== this.#current ? this.#own : undefined;
    return ASKING.includes(this.#current) ? undefined : this.#asking;
  }
}
