import type { FastifyInstance } from 'fastify';

/** Pages of workspaces are shown within those of other origins. */
const WORKSPACE = /^\/api\/conversations\/[^/]+\/workspace(?:\/|$)/;

/** Paths of answers with private data, which must not be cached. */
const PRIVATE = /^\/(?:api|v1|metrics)(?:\/|$)/;

/** The pages about the server have a style of their own and nothing else. */
const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; form-action 'none'";

/**
 * Says with every answer what browsers may do with it: take it for what it says it is, show it in no other page, keep no copy. A handler
 * that says something else is heard.
 */
export function addSafeHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ url }, reply) => {
    const path = (url.split('?')[0] as string).slice(app.prefix.length);
    const isWorkspace = WORKSPACE.test(path);
    void reply.headers({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': isWorkspace ? 'cross-origin' : 'same-origin',
      ...(isWorkspace ? {} : { 'content-security-policy': PAGE_POLICY }),
      ...(PRIVATE.test(path) ? { 'cache-control': 'no-store' } : {}),
    });
  });
}
