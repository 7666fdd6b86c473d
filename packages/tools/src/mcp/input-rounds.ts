import { isJsonObject } from '@conv/core/platform';
import type { JsonObject } from '@conv/core/tool';
import {
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type ElicitResult,
} from '@modelcontextprotocol/client';

import { SAMPLING } from './sampling.ts';
import { checkRound, readQuestion, type Asked } from './server-questions.ts';

/** Member of a call's handle for a call that waits for the user between two requests. */
const INPUT = 'mcp_input';
const MOST_ROUNDS = 20;

/** A round of a call (revision 2026-07-28): the server wants answers, and the call made again with them. It runs nothing meanwhile. */
export interface InputRound {
  /** Questions that the call had asked before. */
  readonly asked: number;
  /** The requests of the server by its names for them. */
  readonly requests: JsonObject;
  /** The server's own state of the call, which it gets back. */
  readonly state: string | undefined;
}

export interface RoundsDeps {
  /** Makes the call, with these members beside its own. */
  readonly send: (more: object) => Promise<CallToolResult>;
  readonly ask: (asked: Asked) => Promise<ElicitResult>;
  /** Asks a model for the server; `undefined` if it may not. */
  readonly sample?: ((request: unknown) => Promise<JsonObject>) | undefined;
  /** Returns the number of questions that the call has asked. */
  readonly asked: () => number;
  /** Keeps the handle of the call; an empty handle drops it. */
  readonly keep: (handle: JsonObject) => Promise<void>;
}

/** Returns the round in a call's handle. */
export function roundIn(handle: JsonObject | undefined): InputRound | undefined {
  const round = handle?.[INPUT];
  if (!isJsonObject(round)) return undefined;
  const { asked, requests, state } = round;
  if (typeof asked !== 'number' || !isJsonObject(requests)) return undefined;
  return { asked, requests, state: typeof state === 'string' ? state : undefined };
}

/**
 * Makes a call, and makes it again with answers of the user until it has a result. A round is in the log while the user is asked,
 * so another process goes on `from` it. It is dropped before the next request: a request that may have begun is not repeated.
 */
export async function callInRounds(deps: RoundsDeps, from?: InputRound): Promise<CallToolResult> {
  const { send, asked, keep } = deps;
  let round = from;
  let more: object = {};
  for (let rounds = 0; rounds < MOST_ROUNDS; rounds += 1) {
    if (!round) {
      const result: unknown = await send(more);
      if (!isInputRequiredResult(result)) return result as CallToolResult;
      round = {
        asked: asked(),
        requests: (result.inputRequests ?? {}) as unknown as JsonObject,
        state: result.requestState,
      };
      const { state, ...known } = round;
      const stored = { ...known, ...(state === undefined ? {} : { state }) };
      checkRound(stored);
      requestsIn(round, deps);
      await keep({ [INPUT]: stored });
    }
    const inputResponses = await answers(round, deps);
    await keep({});
    more = { inputResponses, ...(round.state === undefined ? {} : { requestState: round.state }) };
    round = undefined;
  }
  throw new ProtocolError(ProtocolErrorCode.InternalError, `it asked more than ${MOST_ROUNDS} times`);
}

type Answering = Pick<RoundsDeps, 'ask' | 'sample'>;

async function answers(round: InputRound, deps: Answering): Promise<Record<string, ElicitResult | JsonObject>> {
  const given: [string, ElicitResult | JsonObject][] = [];
  for (const [name, answer] of requestsIn(round, deps)) given.push([name, await answer()]);
  // not by assignment, because a name may be that of the prototype
  return Object.fromEntries(given);
}

/** Reads all requests of a round before the first one is answered. Throws `ProtocolError`. Returns the ways to their answers by their names. */
function requestsIn(
  { requests }: InputRound,
  { ask, sample }: Answering,
): readonly (readonly [string, () => Promise<ElicitResult | JsonObject>])[] {
  return Object.entries(requests).map(([name, request]) => {
    const { method, params } = isJsonObject(request) ? request : {};
    if (method === SAMPLING && sample) return [name, () => sample(params)];
    if (method !== 'elicitation/create')
      throw new ProtocolError(
        ProtocolErrorCode.MethodNotFound,
        `its request ${JSON.stringify(method)} is refused here`,
      );
    const asked = readQuestion(name, params);
    return [name, () => ask(asked)];
  });
}
