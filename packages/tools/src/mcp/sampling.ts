import { isJsonObject } from '@conv/core/platform';
import type { JsonObject } from '@conv/core/tool';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';

import type { CallTime } from './call-time.ts';

/**
 * Asks a model for a server. Gets the parameters of `sampling/createMessage` as the server wrote them, and resolves with the result as the protocol has it:
 * `{ role: 'assistant', content: { type: 'text', text }, model }`. The server reads that a rejection happened, and not its text.
 *
 * The time of a call does not run meanwhile. A server may ask 100 times in a call, and not while none of its calls runs.
 *
 * @param about - `server` is the name of the server in the configuration; `signal` aborts when the server withdraws the request, or its call ends. A request of a process
 *   does not say which call it is for, so it aborts there when no call of the server runs any more
 */
export type McpSampling = (
  request: JsonObject,
  about: { readonly server: string; readonly signal: AbortSignal },
) => Promise<JsonObject>;

/** Asks a model for one server. Rejects `ProtocolError`, and with the reason of the signal. */
export type ServerSampling = (request: unknown, signal: AbortSignal) => Promise<JsonObject>;

/** The name of the request by which a server asks a model. */
export const SAMPLING = 'sampling/createMessage';

/** Times that a server may ask in one call. */
const MOST_SAMPLES = 100;

/** A call at a server that runs, in which the server may ask a model; `end` it once. */
export interface SampledCall {
  readonly time: CallTime;
  /** Aborts when the call is stopped. */
  readonly signal: AbortSignal;
  /** The times that the server has asked in the call, over all its connections. */
  readonly count: { sampled: number };
  readonly end: () => void;
}

/** A server's way to ask a model while its calls run. */
export class AskedModel {
  readonly #sampling: ServerSampling;
  readonly #running = new Set<SampledCall>();
  #none = new AbortController();

  constructor(sampling: ServerSampling) {
    this.#sampling = sampling;
  }

  /** Begins a call. */
  begin(call: Omit<SampledCall, 'end'>): SampledCall {
    const end = (): void => {
      this.#running.delete(begun);
      if (this.#running.size > 0) return;
      this.#none.abort(new Error('no call of the server runs any more'));
      this.#none = new AbortController();
    };
    const begun: SampledCall = { ...call, end };
    this.#running.add(begun);
    return begun;
  }

  /**
   * Asks for an unknown call, and counts for the newest. The time of no call runs meanwhile. Rejects `ProtocolError` while no call runs, or for too much, and with the
   * reason of `signal`, or of its own when no call runs any more.
   */
  async ask(request: unknown, signal: AbortSignal): Promise<JsonObject> {
    const running = [...this.#running].filter((call) => !call.signal.aborted);
    const newest = running.at(-1);
    if (!newest) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, `${SAMPLING} is refused: no call runs`);
    const until = AbortSignal.any([signal, this.#none.signal]);
    return running.reduce(
      (inner, call) => (call === newest ? inner : () => call.time.during(inner)),
      () => this.askFor(newest, request, until),
    )();
  }

  /** Asks for a call, whose time does not run meanwhile. Rejects `ProtocolError`, also for too much, and with the reason of `signal`. */
  async askFor({ count, time }: SampledCall, request: unknown, signal: AbortSignal): Promise<JsonObject> {
    count.sampled += 1;
    if (count.sampled > MOST_SAMPLES)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `${SAMPLING} is refused: expected at most ${MOST_SAMPLES} of a call`,
      );
    return time.during(() => this.#sampling(request, signal));
  }
}

/** Returns the sampling of one server. */
export function samplingOf(server: string, sampling: McpSampling): ServerSampling {
  return async (request, signal) => {
    if (!isJsonObject(request))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${SAMPLING}: expected parameters, found none`);
    try {
      const result: unknown = await sampling(request, { server, signal });
      if (isJsonObject(result)) return result;
    } catch {
      // the text is for the app alone
      signal.throwIfAborted();
    }
    throw new ProtocolError(ProtocolErrorCode.InternalError, `${SAMPLING} failed; the client has the reason`);
  };
}
