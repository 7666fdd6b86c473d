import { A2A_VERSION_HEADER, AGENT_CARD_PATH, AgentCard } from '@a2a-js/sdk';
import { A2A_ERROR_CODE, RequestMalformedError, toJsonRpcError } from '@a2a-js/sdk/errors';
import { JsonRpcTransportHandler, ServerCallContext, validateVersion } from '@a2a-js/sdk/server';
import { isObject } from '@conv/core/platform';
import { begunStreamResponse } from '@conv/turns';

import { agentCard } from './agent-card.ts';
import { checkOptions, type A2AHandlerOptions } from './handler-options.ts';
import { isDenied } from './protocol-error.ts';
import { TaskRequests } from './task-requests.ts';

/**
 * Returns a handler for the requests of A2A clients, from a web `Request` to a web `Response`:
 *
 * - `GET …/.well-known/agent-card.json` answers with the card. Its interface is the address before `/.well-known`.
 * - `POST …` takes a JSON-RPC request of A2A 1.0: `SendMessage`, `SendStreamingMessage`, `GetTask`, `ListTasks`, `CancelTask`,
 *   `SubscribeToTask`.
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
      return Response.json(AgentCard.toJSON(agentCard(options, request)));
    if (request.method === 'POST') return answerRpc(request, options);
    return new Response(`expected GET ${AGENT_CARD_PATH} or POST, found ${request.method} ${pathname}`, {
      status: 404,
    });
  };
}

async function answerRpc(request: Request, options: A2AHandlerOptions): Promise<Response> {
  const body: unknown = await request.json().catch(() => undefined);
  const id = isObject(body) && (typeof body['id'] === 'string' || typeof body['id'] === 'number') ? body['id'] : null;
  const failed = (error: object): object => ({ jsonrpc: '2.0', id, error });
  if (body === undefined)
    return json(failed({ code: A2A_ERROR_CODE.PARSE_ERROR, message: 'expected JSON in the body' }));
  const left = new AbortController();
  // the stream of a client that follows may be told to others, and outlives its request
  const ends = Object(body).method === 'SubscribeToTask' ? [] : [request.signal];
  try {
    const requests = new TaskRequests(options, request, AbortSignal.any([left.signal, ...ends]));
    const requestedVersion = request.headers.get(A2A_VERSION_HEADER);
    const context = new ServerCallContext(requestedVersion === null ? {} : { requestedVersion });
    validateVersion(context.requestedVersion, await requests.getAgentCard(), 'JSONRPC');
    const answer = await new JsonRpcTransportHandler(requests).handle(body as Record<string, unknown>, context);
    // errors of the protocol have data; another one comes from reading the members of the request
    const { code, data } = Object('error' in answer && answer.error) as Readonly<Record<'code' | 'data', unknown>>;
    if (code === A2A_ERROR_CODE.INTERNAL_ERROR && data === undefined)
      throw new RequestMalformedError('expected params as A2A 1.0 has them, found a member of another kind');
    if (!(Symbol.asyncIterator in answer)) return json(answer);
    // an error before the first event has an answer of its own
    return await begunStreamResponse(answer, left, () => {
      const { followed } = requests;
      const shared = followed && { of: followed.conversation, key: `a2a ${followed.event}`, signal: request.signal };
      return { own: { jsonrpc: '2.0', id }, shared };
    });
  } catch (error) {
    return json(failed(toJsonRpcError(error)));
  }
}

const json = (answer: object): Response => Response.json(answer, { status: isDenied(answer) ? 403 : 200 });
