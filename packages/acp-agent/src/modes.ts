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
  readonly #asking: string | undefined;
  #current: string;
  #left: string | undefined;

  /** @param left the mode that a session which is resumed had before it was asked for another one, as it was noted */
  constructor({ currentModeId, availableModes }: SessionModeState, left?: string) {
    this.#current = currentModeId;
    this.#asking = ASKING.find((asking) => availableModes.some(({ id }) => id === asking));
    const isStillAsking =
      currentModeId === this.#asking && currentModeId !== left && availableModes.some(({ id }) => id === left);
    this.#left = isStillAsking ? left : undefined;
  }

  /** The mode that the session has now. */
  get current(): string {
    return this.#current;
  }

  /** The mode that the session goes back to where a policy does not ask; `undefined` if it has its own. */
  get left(): string | undefined {
    return this.#left;
  }

  /** Notes the mode that the session has now. */
  is(mode: string): void {
    this.#current = mode;
  }

  /** Notes that the session has changed to a mode that was wanted. `left`: the mode that it goes back to, if it is not its own. */
  changed(wanted: string, left: string | undefined): void {
    this.#left = left;
    this.#current = wanted;
  }

  /** Returns the mode to change to: one in which the program asks, if `asks`, else its own; `undefined` when it is right as it is. */
  wanted(asks: boolean): string | undefined {
    if (REFUSING.includes(this.#current)) return undefined;
    if (!asks) return this.#current === this.#asking ? this.#left : undefined;
    return ASKING.includes(this.#current) ? undefined : this.#asking;
  }
}
