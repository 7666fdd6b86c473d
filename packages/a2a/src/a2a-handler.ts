import { A2A_VERSION_HEADER, AGENT_CARD_PATH, AgentCard } from '@a2a-js/sdk';
import { A2A_ERROR_CODE, toJsonRpcError } from '@a2a-js/sdk/errors';
import { JsonRpcTransportHandler, ServerCallContext, validateVersion } from '@a2a-js/sdk/server';
import { isObject } from '@conv/core/platform';
import { eventStreamResponse, type SentEvent } from '@conv/turns';

import { agentCard } from './agent-card.ts';
import { checkOptions, type A2AHandlerOptions } from './handler-options.ts';
import { isDenied } from './protocol-error.ts';
import { TaskRequests } from './task-requests.ts';

export type { A2AHandlerOptions, AgentCardInput, ContextRequest } from './handler-options.ts';

/**
 * Returns a handler for the requests of A2A clients, from a web `Request` to a web `Response`:
 *
 * - `GET …/.well-known/agent-card.json` answers with the card. Its interface is the address before `/.well-known`.
 * - `POST …` takes a JSON-RPC request of A2A 1.0: `SendMessage`, `SendStreamingMessage`, `GetTask`, `CancelTask`, `SubscribeToTask`.
 *
 * A context is a conversation, and a task is a place in its log: a message of the user, and everything until the next one. A client that
 * leaves stops no run. Calls that wait for a person, or for an output of the client, make a task `INPUT_REQUIRED`, and only a message with the
 * id of the task and of the call answers them.
 */
export function createA2AHandler(options: A2AHandlerOptions): (request: Request) => Promise<Response> {
  checkOptions(options);
  return async (request) => {
    const { pathname } = new URL(request.url);
    if (request.method === 'GET' && pathname.endsWith(`/${AGENT_CARD_PATH}`))
      return Response.json(AgentCard.toJSON(agentCard(options.card, request)));
    if (request.method === 'POST') return answerRpc(request, options);
    const text = `expected GET ${AGENT_CARD_PATH} or POST, found ${request.method} ${pathname}`;
    return new Response(text, { status: request.method === 'GET' ? 404 : 405 });
  };
}

async function answerRpc(request: Request, options: A2AHandlerOptions): Promise<Response> {
  const body = await bodyOf(request);
  const id = isObject(body) && (typeof body['id'] === 'string' || typeof body['id'] === 'number') ? body['id'] : null;
  const failed = (error: object): object => ({ jsonrpc: '2.0', id, error });
  if (body === undefined)
    return json(failed({ code: A2A_ERROR_CODE.PARSE_ERROR, message: 'expected JSON in the body' }));
  const left = new AbortController();
  try {
    const requests = new TaskRequests(options, request, AbortSignal.any([left.signal, request.signal]));
    const requestedVersion = request.headers.get(A2A_VERSION_HEADER);
    const context = new ServerCallContext(requestedVersion === null ? {} : { requestedVersion });
    validateVersion(context.requestedVersion, await requests.getAgentCard(), 'JSONRPC');
    const answer = await new JsonRpcTransportHandler(requests).handle(body as Record<string, unknown>, context);
    if (!(Symbol.asyncIterator in answer)) return json(answer);
    // an error before the first event has an answer of its own
    const first = await answer.next();
    return eventStreamResponse((signal) => sentEvents({ first, rest: answer, failed }, left, signal));
  } catch (error) {
    return json(failed(toJsonRpcError(error)));
  }
}

interface Answer {
  readonly first: IteratorResult<object, void>;
  readonly rest: AsyncGenerator<object, void>;
  readonly failed: (error: object) => object;
}

/** Yields the events of an answer, and an error in its middle as the last one. */
async function* sentEvents(
  { first, rest, failed }: Answer,
  left: AbortController,
  signal: AbortSignal,
): AsyncGenerator<SentEvent> {
  signal.addEventListener('abort', () => left.abort(), { once: true });
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield { data: next.value };
  } catch (error) {
    if (!signal.aborted) yield { event: 'error', data: failed(toJsonRpcError(error)) };
  } finally {
    await rest.return();
  }
}

async function bodyOf(request: Request): Promise<unknown> {
  try {
    return await request.json();
  } catch {
    return undefined;
  }
}

function json(answer: object): Response {
  return Response.json(answer, { status: isDenied(answer) ? 403 : 200 });
}
