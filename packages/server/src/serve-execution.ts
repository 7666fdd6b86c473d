import { systemPlatform } from '@conv/core/platform';
import type { FastifyInstance } from 'fastify';

import type { AccessKeys } from './auth/access-keys.ts';
import { addCrossOrigin } from './auth/cross-origin.ts';
import { GuessLimit } from './auth/guess-limit.ts';
import { addAuthentication } from './auth/route-auth.ts';
import type { ExecutorServerOptions } from './executor-server-options.ts';
import { addCommonHooks } from './http/common-hooks.ts';
import { serveExecutor } from './routes/serve-executor.ts';
import { serveServerInfo, serveTools } from './routes/serve-server-info.ts';
import { serveWorkspaceHost } from './routes/serve-workspace-host.ts';
import { registerSockets } from './sockets/register-sockets.ts';
import { AllowedFolders } from './workspace/allowed-folders.ts';

/** Bytes of a JSON body: the largest file that an editor sends, in base 64, and more. */
const BODY_LIMIT = 16 * 1024 * 1024;

/** Registers hooks, routes and sockets of a server that only executes. */
export async function serveExecution(
  app: FastifyInstance,
  options: ExecutorServerOptions,
  keys: AccessKeys,
): Promise<void> {
  const { executor, workspaceHost, sandbox, cors, about, report, platform = systemPlatform } = options;
  const guesses = new GuessLimit(platform);
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  app.addHook('onRoute', (route) => void (route.bodyLimit ??= BODY_LIMIT));
  addCommonHooks(app, { platform, report });
  addCrossOrigin(app, cors, keys);
  addAuthentication(app, { keys, guesses });
  serveServerInfo(app, { platform, guesses, sandbox: sandbox?.name, capabilities: [] }, about);
  serveTools(app, about);
  const folders = new AllowedFolders(workspaceHost.allowedFolders ?? ['/']);
  serveExecutor(app, {
    executor,
    platform,
    folders,
    report: (error) => report(error, { doing: 'executing a request' }),
  });
  const machine = { platform, own: () => [], sandbox };
  const commands = await serveWorkspaceHost(app, workspaceHost, machine);
  registerSockets(app, {
    platform,
    keys,
    guesses,
    knows: async () => false,
    cors,
    handlers: [commands],
    report: (error, path) => report(error, { doing: `serving ${path}` }),
  });
}
