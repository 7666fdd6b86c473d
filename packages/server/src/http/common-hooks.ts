import type { Platform } from '@conv/core/platform';
import type { FastifyInstance } from 'fastify';

import { conversationIn } from './conversation-in.ts';
import { endConnections } from './end-connections.ts';
import { addFallbacks } from './fallbacks.ts';
import { readJsonBodies } from './read-json.ts';
import { addSafeHeaders } from './safe-headers.ts';
import { endSlowBodies } from './slow-bodies.ts';

export interface CommonHooksDeps {
  readonly platform: Platform;
  /** Receives the server's own failures, with the request that was answered, by its route and the id that the client was given. */
  readonly report: (error: unknown, about: { readonly conversationId?: string; readonly doing: string }) => void;
}

/**
 * Adds the hooks of every server: ends of connections and of slow bodies, safe headers, JSON bodies, and the answers to refusals and failures. They come
 * before authentication, so that its refusals are answered the same way.
 */
export function addCommonHooks(app: FastifyInstance, { platform, report }: CommonHooksDeps): void {
  endConnections(app, platform);
  endSlowBodies(app, platform);
  addSafeHeaders(app);
  readJsonBodies(app);
  addFallbacks(app, {
    platform,
    report: (error, { errorId, request }) => {
      const conversationId = conversationIn(request);
      const doing = `answering ${request.method} ${request.routeOptions.url ?? ''} (${errorId})`;
      report(error, { doing, ...(conversationId === undefined ? {} : { conversationId }) });
    },
  });
}
