import type { ModelRequest } from './model-request.ts';
import type { Turn } from './turn.ts';

/** Context of a {@link TurnFunction} beside the request. */
export interface TurnContext {
  /** Aborts when the client leaves or the server closes while the function is still thinking. */
  readonly signal: AbortSignal;
}

/** Decides a turn from the request, for answers that follow from what the tools returned. */
export type TurnFunction = (request: ModelRequest, context: TurnContext) => Turn | Promise<Turn>;

/**
 * Script of the model: a list of turns, one per request, in the order the requests arrive, or one function for all of them. A
 * turn of the list may itself be a function.
 */
export type Script = readonly (Turn | TurnFunction)[] | TurnFunction;

/** Thrown when a list of turns is used up. */
class ScriptExhausted extends Error {
  constructor(turns: number) {
    super(`the script has only ${turns} turns, and they are used up`);
    this.name = 'ScriptExhausted';
  }
}

/** Hands out the turns of a script. */
export class ScriptReader {
  readonly #script: Script;
  #position = 0;

  constructor(script: Script) {
    this.#script = script;
  }

  /** The number of turns that no request has asked for; 0 for a function. */
  get remaining(): number {
    return typeof this.#script === 'function' ? 0 : this.#script.length - this.#position;
  }

  /** Takes the next turn; the taking is synchronous, so requests get turns in the order they arrived. */
  async next(request: ModelRequest, context: TurnContext): Promise<Turn> {
    if (typeof this.#script === 'function') return this.#script(request, context);
    const turn = this.#script[this.#position];
    if (turn === undefined) throw new ScriptExhausted(this.#script.length);
    this.#position += 1;
    return typeof turn === 'function' ? turn(request, context) : turn;
  }
}
