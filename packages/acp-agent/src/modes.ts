import type { SessionModeState } from '@agentclientprotocol/sdk/unstable';

/** Modes in which programs ask before they change anything, by their names: of Claude Code, Gemini CLI and Qwen Code; and of Codex. */
const ASKING: readonly string[] = ['default', 'read-only'];

/**
 * Modes in which programs refuse what they would ask for: they only plan, or deny what is not allowed already (Claude Code). They are never left for a mode that
 * asks, because a policy may answer its questions without a person.
 */
const REFUSING: readonly string[] = ['plan', 'dontAsk'];

/**
 * The modes of a session of a program. Programs decide about permissions themselves in their own mode, often without a question. A policy that asks
 * needs a mode in which the program asks (decision 199).
 */
export class Modes {
  readonly #own: string;
  readonly #asking: string | undefined;
  #current: string;

  /** @param own the session's own mode, if it is resumed: it may still have the one in which it was asked to ask */
  constructor({ currentModeId, availableModes }: SessionModeState, own?: string) {
    this.#current = currentModeId;
    this.#own = own !== undefined && availableModes.some(({ id }) => id === own) ? own : currentModeId;
    this.#asking = ASKING.find((asking) => availableModes.some(({ id }) => id === asking));
  }

  /** The mode that the session had before it was asked for another one. */
  get own(): string {
    return this.#own;
  }

  /** Notes the mode that the session has now. */
  is(mode: string): void {
    this.#current = mode;
  }

  /** Returns the mode to change to: one in which the program asks, if `asks`, else its own; `undefined` when it is right as it is. */
  wanted(asks: boolean): string | undefined {
    if (REFUSING.includes(this.#current)) return undefined;
    if (!asks) return this.#current === this.#asking && this.#own !== this.#current ? this.#own : undefined;
    return ASKING.includes(this.#current) ? undefined : this.#asking;
  }
}
