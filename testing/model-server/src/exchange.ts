import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Endpoint, ParsedRequest } from './endpoint.ts';
import { isObject, jsonOf, type JsonObject } from './json.ts';
import type { Identifiers } from './identifiers.ts';
import type { ModelRequest, RequestOutcome } from './model-request.ts';
import { playTurn } from './play-turn.ts';
import { prepareAnswer } from './prepared-answer.ts';
import type { Reply } from './reply.ts';
import type { RequestLog } from './request-log.ts';
import { ensure, RuleBroken, type Violation } from './rules.ts';
import type { ScriptReader, TurnFunction } from './script.ts';
import { titledMessage, titleTurn, type TitleAnswers } from './titles.ts';
import type { PromptCache } from './token-usage.ts';
import type { Turn } from './turn.ts';

/** State shared by all exchanges of one server. */
export interface ServerState {
  readonly script: ScriptReader;
  /** `undefined`: requests for titles are requests like any other. */
  readonly titles: TitleAnswers | undefined;
  readonly ids: Identifiers;
  readonly cache: PromptCache;
  readonly log: RequestLog;
  readonly chunkSize: number;
  readonly now: () => number;
  readonly isClosing: () => boolean;
  readonly onRequest: (request: ModelRequest) => void;
  readonly onViolation: (violation: Violation) => void;
}

/** Handles one request for a completion, from its body to the last byte of the answer. */
export async function exchange(
  message: IncomingMessage,
  endpoint: Endpoint,
  reply: Reply,
  state: ServerState,
): Promise<void> {
  const sent = await text(message);
  let accepted: Accepted | undefined;
  let outcome: RequestOutcome = 'answered';
  try {
    accepted = accept(sent, headersOf(message), endpoint, state);
    const turn = await nextTurn(accepted, reply, state);
    const used =
      accepted.title && state.titles ? { ...state, ids: state.titles.ids, cache: state.titles.cache } : state;
    outcome = await perform(turn, accepted.request, endpoint, reply, used);
  } catch (error) {
    if (error instanceof RuleBroken) await refuse(error, sent, endpoint, reply, state);
    else if (!reply.gone.aborted) throw error;
  } finally {
    if (outcome !== 'dropped' && reply.gone.aborted) outcome = state.isClosing() ? 'dropped' : 'client-gone';
    accepted?.settle(outcome);
  }
}

interface Accepted {
  readonly request: ModelRequest;
  readonly settle: (outcome: RequestOutcome) => void;
  /** The turn of a request for a title; `undefined` for any other request. */
  readonly title: TurnFunction | undefined;
}

function accept(
  sent: string,
  headers: Readonly<Record<string, string>>,
  endpoint: Endpoint,
  state: ServerState,
): Accepted {
  const body = jsonOf(sent);
  ensure(isObject(body), 'body', '', 'the body must be a JSON object');
  const parsed = endpoint.parse(body, headers);
  return register(parsed, body, headers, endpoint, state);
}

function register(
  parsed: ParsedRequest,
  body: JsonObject,
  headers: Readonly<Record<string, string>>,
  endpoint: Endpoint,
  state: ServerState,
): Accepted {
  let settle: (outcome: RequestOutcome) => void = () => undefined;
  const outcome = new Promise<RequestOutcome>((resolve) => {
    settle = resolve;
  });
  const titled = state.titles && titledMessage(parsed);
  const title = state.titles && titled !== undefined ? titleTurn(state.titles, titled) : undefined;
  const index = title ? -1 : state.log.requests.length;
  const request: ModelRequest = { ...parsed, index, api: endpoint.api, headers, body, outcome };
  if (!title) state.log.add(request);
  return { request, settle, title };
}

async function nextTurn({ request, title }: Accepted, reply: Reply, state: ServerState): Promise<Turn> {
  const { gone } = reply;
  try {
    if (title) return await unlessAborted(Promise.resolve(title(request, { signal: gone })), gone);
    state.onRequest(request);
    return await unlessAborted(state.script.next(request, { signal: gone }), gone);
  } catch (error) {
    if (gone.aborted) throw error;
    // A status that clients retry would hide a script that is too short or wrong.
    throw new RuleBroken('script', '', error instanceof Error ? error.message : String(error), { cause: error });
  }
}

async function perform(
  turn: Turn,
  request: ModelRequest,
  endpoint: Endpoint,
  reply: Reply,
  state: ServerState,
): Promise<RequestOutcome> {
  const { ids, chunkSize } = state;
  const cachedTokens = state.cache.lookUp(request);
  const created = Math.floor(state.now() / 1000);
  const context = { ids, callPrefix: endpoint.callPrefix, created, chunkSize, cachedTokens };
  return playTurn(turn, {
    endpoint,
    request,
    reply,
    render: (answer) => endpoint.render(prepareAnswer(answer, request, context), request, ids),
  });
}

async function refuse(
  broken: RuleBroken,
  sent: string,
  endpoint: Endpoint,
  reply: Reply,
  state: ServerState,
): Promise<void> {
  const { rule, param, message } = broken;
  const body = jsonOf(sent) ?? sent;
  state.onViolation({ rule, message, param, api: endpoint.api, body });
  if (!reply.gone.aborted) await reply.error(endpoint, { status: 400, message, code: rule, param });
}

/** Header names are in lower case already; of a repeated header the values are joined. */
function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]));
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}
