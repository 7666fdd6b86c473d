import type { Readable } from 'node:stream';

import type { JsonObject } from '@conv/core';
import { readPart, type RequestPart, type Route, type RouteAuth, type RouteInput } from '@conv/openhands/rest';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';

import { ApiError, toApiError, type RefusalTexts } from './api-error.ts';
import { misplacedSettings } from './misplaced-settings.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Authentication that this route accepts; `protocol`: a session key in its header or as a bearer token. Default `session`. */
    auth?: RouteAuth | 'protocol';
    /** The scope that a caller needs. Default: that of `route`. */
    scope?: Route['scope'];
    /** The protocol's route that it serves. */
    route?: Route;
    /** The route's texts for missing conversations and events. */
    texts?: RefusalTexts;
  }
}

/** A call of a route: its input as the schemas parsed it, and the server's request and reply. */
export interface Call<Input extends RouteInput> {
  readonly params: Input['params'];
  readonly query: Input['query'];
  readonly body: Input['body'];
  readonly request: FastifyRequest;
  /** For headers, and for a status that is not the route's `success`. */
  readonly reply: FastifyReply;
}

/** The answer of a handler: the route's answer, or bytes for a route that answers with bytes. */
export type HandlerAnswer<Answer> = Answer | Uint8Array | Readable;

/** Serves a call. `toApiError` maps its rejection to a status. */
export type RouteHandler<Input extends RouteInput, Answer> = (
  call: Call<Input>,
) => Promise<HandlerAnswer<Answer>> | HandlerAnswer<Answer>;

/** The refusals of a route. */
export interface Refusals<Params = never> extends RefusalTexts {
  /** Rejects if there is nothing of this path. It is asked before a wrong query or body is refused. Default: those are refused first. */
  readonly checkPath?: (params: Params) => Promise<unknown>;
}

/**
 * Serves a route of the protocol. A request that does not fit its schemas is answered with 422 before the handler sees it. The
 * handler's rejection decides status and text. No request of a client counts as an error of the server.
 */
export function serveRoute<Input extends RouteInput, Answer>(
  app: FastifyInstance,
  route: Route<Input, Answer>,
  handler: RouteHandler<Input, Answer>,
  refusals?: Refusals<Input['params']>,
): void {
  app.route({
    method: route.method,
    url: toUrl(route.path),
    config: { auth: route.auth, route: route as unknown as Route, ...(refusals ? { texts: refusals } : {}) },
    handler: async (request, reply) => {
      void reply.code(route.success);
      const answer = await answerOf(handler, route, { request, reply, refusals });
      if (isBytes(route.answer) && !reply.hasHeader('content-type')) void reply.type(route.answer.mediaType);
      return reply.send(answer);
    },
  });
}

async function answerOf<Input extends RouteInput, Answer>(
  handler: RouteHandler<Input, Answer>,
  route: Route<Input, Answer>,
  { refusals, ...asked }: Pick<Call<Input>, 'request' | 'reply'> & { refusals: Refusals<Input['params']> | undefined },
): Promise<HandlerAnswer<Answer>> {
  try {
    return await handler({ ...(await readInput(route, asked.request, refusals?.checkPath)), ...asked });
  } catch (error) {
    throw toApiError(error, refusals);
  }
}

/** Returns a path with parameters in braces in Fastify's form. */
export function toUrl(path: string): string {
  return path.replace(/\{(\w+)(?::path)?\}/g, (whole, name: string) => (whole.includes(':path') ? '*' : `:${name}`));
}

async function readInput<Input extends RouteInput, Answer>(
  route: Route<Input, Answer>,
  { params: path, query, body }: FastifyRequest,
  checkPath: Refusals<Input['params']>['checkPath'],
): Promise<Pick<Call<Input>, 'params' | 'query' | 'body'>> {
  const params = readParams(route, path);
  try {
    const input = { params, query: read(route.query, 'query', query), body: read(route.body, 'body', body) };
    const misplaced = misplacedSettings(route, body);
    if (misplaced.length > 0) throw new ApiError(422, misplaced);
    return input;
  } catch (error) {
    await checkPath?.(params);
    throw error;
  }
}

/** Returns the parameters of a path. Throws {@link ApiError} 422 for others than those of the route. */
export function readParams<Params>({ params }: { readonly params?: z.ZodType<Params> }, given: unknown): Params {
  return read(params, 'path', given);
}

function read<T>(schema: NonNullable<Route<{ body: T }>['body']> | undefined, part: RequestPart, given: unknown): T {
  if (!schema) return undefined as T;
  const result = readPart(schema, given, part);
  if (result.ok) return result.value;
  throw new ApiError(422, result.error.detail as unknown as readonly JsonObject[]);
}

function isBytes(answer: unknown): answer is { readonly mediaType: string } {
  return typeof answer === 'object' && answer !== null && 'mediaType' in answer;
}
