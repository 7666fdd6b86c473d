import type { FastifyInstance, FastifyRequest } from 'fastify';

import { ApiError } from './api-error.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

const rawBodies = new WeakMap<FastifyRequest, Buffer>();

/**
 * Parses bodies as JSON whatever their content type says, because clients omit it. An empty body counts as no body. A body that
 * is not JSON or not UTF-8 is refused with 422.
 */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    rawBodies.set(request, body);
    return parseJson(body);
  });
}

/** Returns the raw body of a request; `undefined` when it had none or it was not read as JSON. */
export function rawBodyOf(request: FastifyRequest): Buffer | undefined {
  return rawBodies.get(request);
}

/** Returns the value of a JSON body. Throws {@link ApiError} 422. */
function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(utf8.decode(body), withoutPrototype);
  } catch (cause) {
    throw new ApiError(
      422,
      [{ type: 'json_invalid', loc: ['body'], msg: 'JSON decode error', input: {}, ctx: { error: reason(cause) } }],
      { cause },
    );
  }
}

/** Drops `__proto__` members, because copying an object that has one would change the copy's prototype. */
function withoutPrototype(this: unknown, name: string, value: unknown): unknown {
  return name === '__proto__' ? undefined : value;
}

/** Returns the reason without the engine's message, which quotes the body. */
function reason(cause: unknown): string {
  if (!(cause instanceof SyntaxError)) return 'the body is not UTF-8';
  const position = /position (\d+)/.exec(cause.message)?.[1];
  return position === undefined ? 'the body is not JSON' : `the body is not JSON at position ${position}`;
}
