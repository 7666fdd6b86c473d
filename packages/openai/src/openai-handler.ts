import type { Conversation } from '@conv/core';
import { rest, tokenCounts, turnBehind } from '@conv/turns';

import { ApiError, refusal } from './api-error.ts';
import { completeChat } from './chat-completions.ts';
import { checkOptions, type OpenAIHandlerOptions } from './handler-options.ts';
import { bodyOf, responseInput, wantedOf } from './request-input.ts';
import { responseBody } from './response-body.ts';
import { placeOf } from './response-id.ts';
import { streamedResponse } from './response-stream.ts';
import { createFor, messageId, takeInput } from './take-input.ts';

export type { ConversationRequest, OpenAIFunction, OpenAIHandlerOptions } from './handler-options.ts';

/**
 * Returns a handler for the requests of clients of OpenAI's API, from a web `Request` to a web `Response`, under any path that ends so:
 *
 * - `POST …/responses` sends the input and answers with the response, as a stream with `stream`, at once with `background`.
 *   `previous_response_id`, or `conversation`, continues a conversation; other requests begin one.
 * - `GET …/responses/{id}` answers with the response, or with the rest of its stream behind `starting_after`.
 * - `POST …/responses/{id}/cancel` stops its run. A response that is queued, or has ended or asks for a decision, is as it was.
 * - `POST …/chat/completions` answers a chat, as a stream or not.
 * - `GET …/models` lists the models.
 *
 * A client that leaves stops no run. Calls of the caller's functions are `function_call` items; calls that wait for a person are
 * `mcp_approval_request` items, and only an `mcp_approval_response` with their id lets them run.
 */
export function createOpenAIHandler(options: OpenAIHandlerOptions): (request: Request) => Promise<Response> {
  checkOptions(options);
  return async (request) => {
    try {
      return await route(request, options);
    } catch (error) {
      return refusal(error);
    }
  };
}

async function route(request: Request, options: OpenAIHandlerOptions): Promise<Response> {
  const { pathname } = new URL(request.url);
  const { method } = request;
  const { models = ['conversation'] } = options;
  if (method === 'POST' && pathname.endsWith('/chat/completions')) return completeChat(request, options);
  if (method === 'POST' && pathname.endsWith('/responses')) return respond(request, options);
  const [, id, action] = /\/responses\/([^/]+)(\/cancel)?$/.exec(pathname) ?? [];
  if (id !== undefined && action === undefined && method === 'GET') return retrieve(id, request, options);
  if (id !== undefined && action !== undefined && method === 'POST') return cancel(id, request, options);
  if (method === 'GET' && pathname.endsWith('/models'))
    return Response.json({ object: 'list', data: models.map(modelOf) });
  const [, model] = /\/models\/(.+)$/.exec(pathname) ?? [];
  const listed = models.find((name) => name === model || encodeURIComponent(name) === model);
  if (method === 'GET' && listed !== undefined) return Response.json(modelOf(listed));
  throw new ApiError(404, `expected responses, chat/completions or models, found ${method} ${pathname}`);
}

/** Describes a model. Its owner is the beginning of its name, as with OpenHands' server: `openhands` of `openhands_fast`. */
function modelOf(id: string): object {
  return { id, object: 'model', created: 0, owned_by: id.split('_')[0] };
}

async function respond(request: Request, options: OpenAIHandlerOptions): Promise<Response> {
  const body = await bodyOf(request);
  const { previous_response_id: previous, conversation: named, stream, background, instructions, metadata } = body;
  const input = responseInput(body);
  const wanted = wantedOf(body, input);
  const known = typeof named === 'string' ? named : (Object(named) as { id?: unknown }).id;
  let conversation: Conversation;
  if (typeof previous === 'string') conversation = await continued(previous, request, options);
  else if (typeof known === 'string') conversation = await options.conversation(known, request);
  else conversation = await createFor(input, wanted, request, options);
  const before = tokenCounts(conversation.state);
  const { event, run } = await takeInput(conversation, input, request, options);
  const asked = { model: wanted.model, background: background === true, instructions, metadata, before: run && before };
  const { signal } = request;
  if (stream === true) return streamedResponse(conversation, { ...asked, event, run, signal });
  if (!asked.background) await rest(conversation, { run, signal });
  return Response.json(await responseBody(conversation, event, asked));
}

/**
 * Opens the conversation of a response. Rejects {@link ApiError} 400 unless the response is the newest, because a log has no second end,
 * or the next message is that of this request, which is then a repeated request.
 */
async function continued(id: string, request: Request, options: OpenAIHandlerOptions): Promise<Conversation> {
  const place = placeOf(id, 'previous_response_id');
  const conversation = await options.conversation(place.conversation, request);
  const { after, next } = await turnBehind(conversation, place.event);
  if (after !== undefined && (next === undefined || next === messageId(request))) return conversation;
  const expected = 'expected the newest response of its conversation; fork the conversation to answer an earlier one';
  throw new ApiError(400, expected, 'previous_response_id');
}

async function retrieve(id: string, request: Request, options: OpenAIHandlerOptions): Promise<Response> {
  const { conversation, event } = await opened(id, request, options);
  const { searchParams } = new URL(request.url);
  const asked = { model: 'conversation', background: true };
  if (searchParams.get('stream') !== 'true') return Response.json(await responseBody(conversation, event, asked));
  const given = searchParams.get('starting_after');
  if (given !== null && !/^\d{1,15}$/.test(given))
    throw new ApiError(400, `expected a number, found ${JSON.stringify(given)}`, 'starting_after');
  const startingAfter = given === null || given === '0' ? undefined : Number(given);
  return streamedResponse(conversation, { ...asked, event, startingAfter, signal: request.signal });
}

async function cancel(id: string, request: Request, options: OpenAIHandlerOptions): Promise<Response> {
  const { conversation, event } = await opened(id, request, options);
  const { after, next } = await turnBehind(conversation, event);
  // otherwise the run at work is that of another response
  if (after !== undefined && next === undefined) await conversation.interrupt();
  return Response.json(await responseBody(conversation, event, { model: 'conversation', background: true }));
}

async function opened(id: string, request: Request, options: OpenAIHandlerOptions) {
  const { conversation: at, event } = placeOf(id);
  const conversation = await options.conversation(at, request);
  const isQueued = conversation.state.queue.some((queued) => queued.id === event);
  if (isQueued || (await conversation.events.indexOf(event)) !== undefined) return { conversation, event };
  throw new ApiError(404, `expected the id of a response, found ${JSON.stringify(id)}`);
}
