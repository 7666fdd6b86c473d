import { checkOptionNames, type OptionNames } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import type { Executor, Sandbox } from '@conv/core/tool';
import type { FastifyPluginAsync } from 'fastify';

import { AccessKeys, AUTH_OPTIONS, type AuthOptions } from './auth/access-keys.ts';
import type { CorsOptions } from './auth/cross-origin.ts';
import { checkAccess, checkWorkspaceHost } from './check-server-options.ts';
import type { ServerAbout } from './routes/serve-server-info.ts';
import type { WorkspaceHostOptions } from './workspace/workspace-host.ts';

/** Options of {@link executorServer}. */
export interface ExecutorServerOptions extends AuthOptions {
  /** Executes the requests of tools, such as `executorTools()` of `@conv/tools`. */
  readonly executor: Executor;
  /** Options of the file, git and command routes. */
  readonly workspaceHost: WorkspaceHostOptions;
  /** Confines the commands of clients, each in its folder. Give the same object to `executorTools`. Default: none. */
  readonly sandbox?: Sandbox | undefined;
  readonly cors?: CorsOptions;
  /** Information that the server gives about itself. */
  readonly about?: ServerAbout;
  /** Receives the server's own failures. Must not throw. */
  readonly report: (error: unknown, about: { readonly doing: string }) => void;
  /** Clock, timers and ids. Default: those of the host. */
  readonly platform?: Platform;
}

const OPTIONS: OptionNames<ExecutorServerOptions> = {
  executor: true,
  workspaceHost: true,
  sandbox: true,
  cors: true,
  about: true,
  report: true,
  platform: true,
  ...AUTH_OPTIONS,
};

/**
 * Makes a server that only executes, as a Fastify plugin: the log and the model of its conversations are elsewhere, see `executeIn` of
 * `@conv/remote`. It serves the routes of files, git and commands, and the requests of tools. It has no conversations, no settings and no
 * keys of models. Closing the instance ends all that it runs.
 *
 * Throws a `TypeError` for a wrong option, and without any key, because every program that reaches an executor runs commands.
 */
export function executorServer(options: ExecutorServerOptions): FastifyPluginAsync {
  checkOptionNames('executorServer', options, OPTIONS);
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
