import { systemPlatform } from '@conv/core/platform';
import { routes } from '@conv/openhands/rest';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { AccessKeys } from './auth/access-keys.ts';
import { addCrossOrigin } from './auth/cross-origin.ts';
import { GuessLimit } from './auth/guess-limit.ts';
import { addCommonHooks } from './http/common-hooks.ts';
import { answerFailure, newErrorId } from './http/fallbacks.ts';
import { toUrl } from './http/serve-route.ts';
import { serveServerInfo } from './routes/serve-server-info.ts';
import type { WaitingServerOptions } from './waiting-server-options.ts';

/** Registers hooks and routes of a server that waits for its configuration. */
export function serveWaiting(app: FastifyInstance, options: WaitingServerOptions): void {
  const { init, cors, about, protocols = [], report, platform = systemPlatform } = options;
  addCommonHooks(app, { platform, report });
  // as for a server with a key: the header of the only command lets no page send it unasked
  addCrossOrigin(app, cors, new AccessKeys({ principal: () => undefined }));
  serveServerInfo(app, { platform, capabilities: [], init, guesses: new GuessLimit(platform) }, about);
  const wait = async (_: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const reason = `server is in deferred-init state '${init.status.state}'; call POST /api/init first`;
    return answerFailure(reply, { status: 503, text: reason, errorId: newErrorId(platform) });
  };
  const described = routes.map(({ method, path }) => ({ method, url: toUrl(path) }));
  const ofProtocols = protocols.flatMap(({ paths }) =>
    paths.flatMap((url) => (['GET', 'POST'] as const).map((method) => ({ method, url }))),
  );
  // without a listener for upgrades, Node hands the request of a socket over like any other
  for (const route of [...described, ...ofProtocols, { method: 'GET' as const, url: '/sockets/*' }])
    if (!app.hasRoute(route)) app.route({ ...route, onRequest: wait, handler: wait });
}
