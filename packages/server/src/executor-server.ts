import { checkOptionNames } from '@conv/core';
import type { FastifyPluginAsync } from 'fastify';

import { AccessKeys } from './auth/access-keys.ts';
import { checkAccess, checkWorkspaceHost } from './check-server-options.ts';
import { EXECUTOR_SERVER_OPTIONS, type ExecutorServerOptions } from './executor-server-options.ts';

/**
 * Makes a server that only executes, as a Fastify plugin: the log and the model of its conversations are elsewhere, see `executeIn` of
 * `@conv/remote`. It serves the routes of files, git and commands, and the requests of tools. It has no conversations, no settings and no
 * keys of models. Closing the instance ends all that it runs.
 *
 * Throws a `TypeError` for a wrong option, and without any key, because every program that reaches an executor runs commands.
 */
export function executorServer(options: ExecutorServerOptions): FastifyPluginAsync {
  checkOptionNames('executorServer', options, EXECUTOR_SERVER_OPTIONS);
  checkAccess('executorServer', options);
  checkWorkspaceHost('executorServer', options.workspaceHost);
  const keys = new AccessKeys(options);
  if (!keys.required) throw new TypeError('executorServer: expected a key, such as sessionKeys, found none');
  return async (app) => {
    // imported here, because routes, sockets and their packages are needed only once there is a server
    const { serveExecution } = await import('./serve-execution.ts');
    await serveExecution(app, options, keys);
  };
}
