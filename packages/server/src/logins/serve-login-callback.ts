import { mcpRoutes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { ApiError } from '../http/api-error.ts';
import { escaped } from '../http/escaped.ts';
import { serveRoute } from '../http/serve-route.ts';
import type { LoginsOptions } from './logins-options.ts';

/** Headers of the page beside those of all answers. Its address holds a code, so no cache keeps it and no other page has it as its opener. */
const HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
};

const NOT_NOW =
  'The login could not be stored now. Load this page again; if it is not known then, begin the login again.';

/**
 * Serves the address that browsers come back to from a login at an MCP server. It needs no key: the `state` of its query is known to the browser
 * of the person alone, and works once. Any server of a fleet ends the login.
 */
export function serveLoginCallback(
  app: FastifyInstance,
  { finish }: LoginsOptions,
  report: (error: unknown) => void,
): void {
  serveRoute(app, mcpRoutes.comeBack, async ({ request, reply }) => {
    // a program that only looks at the address must not use up the login
    if (request.method !== 'GET') throw new ApiError(405, 'Method Not Allowed');
    void reply.headers(HEADERS);
    try {
      // the host is of no matter: only the query is read
      const { ok, message } = await finish(new URL(request.url, 'http://localhost'));
      if (!ok) void reply.code(400);
      return page(ok ? 'Access is allowed' : 'No access', message);
    } catch (error) {
      report(error);
      void reply.code(503).header('retry-after', '1');
      return page('No access yet', NOT_NOW);
    }
  });
}

/** Returns a page without scripts, links and anything to load. */
function page(title: string, message: string): Uint8Array {
  return Buffer.from(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>body{font:18px/1.5 system-ui;margin:20vh auto;max-width:32rem;padding:0 1rem;color-scheme:light dark}</style>
<h1>${escaped(title)}</h1><p>${escaped(message)}</p></html>
`);
}
