import type { OptionNames } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import type { Executor, Sandbox } from '@conv/core/tool';

import { AUTH_OPTIONS, type AuthOptions } from './auth/access-keys.ts';
import type { CorsOptions } from './auth/cross-origin.ts';
import type { ServerAbout } from './routes/serve-server-info.ts';
import type { WorkspaceHostOptions } from './workspace/workspace-host.ts';

/** Options of `executorServer`. */
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

/** The names of the options. */
export const EXECUTOR_SERVER_OPTIONS: OptionNames<ExecutorServerOptions> = {
  executor: true,
  workspaceHost: true,
  sandbox: true,
  cors: true,
  about: true,
  report: true,
  platform: true,
  ...AUTH_OPTIONS,
};
