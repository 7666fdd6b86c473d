import type { FastifyInstance } from 'fastify';

import { readPath } from './read-path.ts';

/** Paths of workspace pages, which pages of other origins may embed. */
const WORKSPACE = /^\/api\/conversations\/[^/]+\/workspace(?:\/|$)/;

/** Paths of answers with private data, which must not be cached. */
const PRIVATE = /^\/(?:api|v1|mcp|metrics)(?:\/|$)/;

/** The pages about the server have a style of their own and nothing else. */
const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; form-action 'none'";

/**
 * Adds security headers to every answer: no sniffing of content types, no embedding in other pages, no caching of private data.
 * Headers that a handler sets take precedence.
 */
export function addSafeHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(safeHeaders(readPath(request, app)));
  });
}

/** Returns the security headers of the answer for a path below the server's prefix. */
export function safeHeaders(path: string): Readonly<Record<string, string>> {
  const isWorkspace = WORKSPACE.test(path);
  return {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': isWorkspace ? 'cross-origin' : 'same-origin',
    ...(isWorkspace ? {} : { 'content-security-policy': PAGE_POLICY }),
    ...(PRIVATE.test(path) ? { 'cache-control': 'no-store' } : {}),
  };
}
