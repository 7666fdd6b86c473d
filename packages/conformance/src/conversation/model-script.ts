/** A call that a scripted model makes. */
export interface ScriptedCall {
  readonly name: string;
  /** An object, or text as a model would write it, which need not be JSON. */
  readonly arguments: Readonly<Record<string, unknown>> | string;
  /** What the model says of its risk, where it is asked: when an analyzer is set. Default: nothing. */
  readonly risk?: 'LOW' | 'MEDIUM' | 'HIGH';
}

/** When a scripted model answers. */
interface Timing {
  /** Called when the model is asked. */
  readonly asked?: () => void;
  /** Called with the roles of the messages that the model is sent, and the texts of the results among them, in their order. */
  readonly reads?: (roles: readonly string[], results: readonly string[]) => void;
  /** The answer comes when this has resolved. Default: at once. */
  readonly after?: Promise<void>;
}

/** One answer of a scripted model: text (empty: it says nothing at all), calls, or a failure that no retry helps against. */
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

  /** How often the model was asked. */
  get requests(): number {
    return this.#requests;
  }

  /**
   * The next answer to messages of these roles, with these results of calls among them, when it is time for it. Rejects with `signal.reason`; where the list has come
   * to its end the answer is an error.
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
