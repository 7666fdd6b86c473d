import type { Platform } from '@conv/core/platform';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { ApiError, toApiError } from './api-error.ts';

/** Texts of failures that happen before a route is reached. */
const TEXTS: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'Request body is too large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Unsupported Media Type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The length of the body differs from Content-Length',
  FST_ERR_BAD_URL: 'The path cannot be read',
};

export interface FallbacksDeps {
  readonly platform: Pick<Platform, 'id'>;
  readonly report: ReportFailure;
}

/** Receives the server's own failures, with the id that the client was given. */
export type ReportFailure = (
  error: unknown,
  failure: { readonly errorId: string; readonly request: FastifyRequest },
) => void;

/**
 * Registers the answers that hold for all routes: refusals as `{ detail }`, 404 for an unknown path, 405 for another method. A
 * missing or extra slash is answered with 307. A failure of the server itself answers with an id alone; `report` receives the
 * error.
 */
export function addFallbacks(app: FastifyInstance, deps: FallbacksDeps): void {
  const routes = new KnownPaths();
  app.addHook('onRoute', ({ url, method }) => routes.add(url, [method].flat()));
  app.setNotFoundHandler(async (request, reply) => {
    const [path = '', query] = request.url.split(/\?(.*)/s);
    const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
    const methods = routes.methodsOf(path);
    if (methods.size > 0) {
      void reply.header('allow', [...methods].join(', '));
      throw new ApiError(405, 'Method Not Allowed');
    }
    if (path !== '/' && routes.methodsOf(other).has(request.method))
      return reply.redirect(query === undefined ? other : `${other}?${query}`, 307);
    throw new ApiError(404, 'Not Found');
  });
  app.setErrorHandler((error: unknown, request, reply) => answerError(error, request, reply, deps));
}

async function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: FallbacksDeps,
): Promise<FastifyReply> {
  const known = toApiError(error);
  if (known instanceof ApiError) return answerRefusal(known, request, reply, deps);
  const status = statusOf(error);
  if (status !== undefined && status < 500) {
    const text = TEXTS[(error as FastifyError).code] ?? 'Bad Request';
    return reply.code(status).send({ detail: text });
  }
  const errorId = newErrorId(deps.platform);
  deps.report(error, { errorId, request });
  return reply.code(500).send({ detail: 'Internal Server Error', error_id: errorId });
}

function answerRefusal(
  { status, detail, cause, retryAfter }: ApiError,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: FallbacksDeps,
): FastifyReply {
  void reply.code(status);
  if (retryAfter !== undefined) void reply.header('retry-after', retryAfter);
  if (status < 500) return reply.send({ detail });
  const errorId = newErrorId(deps.platform);
  deps.report(cause, { errorId, request });
  return answerFailure(reply, { status, text: typeof detail === 'string' ? detail : 'see the log', errorId });
}

/** Answers that the server cannot do what it was asked for, in the form of OpenHands' server. With the status 503 the client is to come back. */
export function answerFailure(
  reply: FastifyReply,
  { status, text, errorId }: { readonly status: number; readonly text: string; readonly errorId: string },
): FastifyReply {
  if (status === 503) void reply.header('retry-after', '1');
  const body = { detail: 'Internal Server Error', exception: `${status}: ${text}`, error_id: errorId };
  return reply.code(status).send(body);
}

/** Returns a new id for a failure, which both the client and the log are given. */
export function newErrorId(platform: Pick<Platform, 'id'>): string {
  return platform.id().replaceAll('-', '');
}

function statusOf(error: unknown): number | undefined {
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' ? status : undefined;
}

/** The served paths and their methods. */
class KnownPaths {
  readonly #paths: { readonly pattern: RegExp; readonly method: string }[] = [];

  add(url: string, methods: readonly string[]): void {
    const source = url
      .split('/')
      .map((part) => (part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : escape(part)))
      .join('/');
    const pattern = new RegExp(`^${source}$`);
    for (const method of methods) this.#paths.push({ pattern, method });
  }

  methodsOf(path: string): ReadonlySet<string> {
    return new Set(this.#paths.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method));
  }
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
