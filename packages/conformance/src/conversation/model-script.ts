/** A call that a scripted model makes. */
export interface ScriptedCall {
  readonly name: string;
  /** An object, or text as a model would write it, which need not be JSON. */
  readonly arguments: Readonly<Record<string, unknown>> | string;
  /** The risk that the model states. A model must state it when an analyzer is set. Default: none. */
  readonly risk?: 'LOW' | 'MEDIUM' | 'HIGH';
}

/** The timing of an answer of a scripted model. */
interface Timing {
  /** Called when the model is asked. */
  readonly asked?: () => void;
  /**
   * Called with the roles of the messages in the request, and with the texts of the results among them, in their order.
   */
  readonly reads?: (roles: readonly string[], results: readonly string[]) => void;
  /** The answer comes when this has resolved. Default: at once. */
  readonly after?: Promise<void>;
}

/** An answer of a scripted model: text, calls, or a failure that no retry mends. Empty text: it says nothing. */
export type ModelTurn =
  | ({ readonly text: string } & Timing)
  | ({ readonly calls: readonly ScriptedCall[] } & Timing)
  | ({ readonly error: string } & Timing);

/** A model that answers by a list; a harness turns it into a model server or hands it to a `ScriptedAgent`. */
export class ModelScript {
  readonly #turns: readonly ModelTurn[];
  #requests = 0;

  constructor(turns: readonly ModelTurn[]) {
    this.#turns = turns;
  }

  /** The number of requests to the model so far. */
  get requests(): number {
    return this.#requests;
  }

  /**
   * Resolves with the next answer when its time has come. `roles` and `results` are of the messages in the request.
   * Rejects with `signal.reason`. After the end of the list the answer is an error.
   */
  async next(signal: AbortSignal, roles: readonly string[], results: readonly string[] = []): Promise<ModelTurn> {
    signal.throwIfAborted();
    const turn = this.#turns[this.#requests++];
    if (!turn) return { error: `the script has ${this.#turns.length} answers, this is request ${this.#requests}` };
    turn.asked?.();
    turn.reads?.(roles, results);
    if (turn.after) await untilAborted(turn.after, signal);
    return turn;
  }
}

function untilAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
