import { checks, checkOptionNames, type LocalWorkspaceDescription, type RemoteWorkspaceDescription } from '@conv/core';
import type { Executor } from '@conv/core/tool';

import { RemoteExecutor } from './remote-executor.ts';
import type { RemoteWorkspace } from './remote-workspace.ts';
import { isStartable, type StartableWorkspace } from './startable-workspace.ts';

/** A workspace that only executes. */
export interface ExecutorWorkspace extends LocalWorkspaceDescription {
  readonly executor: Executor;
  /** Closes the connections; the executor goes on, and a container is closed by its own workspace. */
  close(): Promise<void>;
}

/** Options of {@link executeIn}. */
export interface ExecuteInOptions {
  /** The absolute folder there, which is made if missing. Default: that of the workspace. */
  readonly workingDir?: string;
}

/**
 * Makes a workspace that only executes: commands and files act in a server, while the log, the model and its keys stay in this process. The
 * server is an executor: `conv-server --executor`, or `executorServer()` of `@conv/server`; it starts with the first command if it starts
 * on first use. It gets no key of a model, and a secret only with a command that names it.
 *
 * The terminal and the file editor of `@conv/tools` act there. A call whose outcome the executor could not tell, because it ended or
 * cannot be reached, fails and says so to the model; it is not made again, and the conversation goes on.
 *
 * Throws `INVALID_INPUT` for a wrong option, and for a folder that is not absolute.
 *
 * @example
 * ```ts
 * import { executeIn, RemoteWorkspace } from '@conv/remote';
 *
 * const hands = new RemoteWorkspace({ host: 'http://10.0.0.7:8000', apiKey: 'the key of the executor', workingDir: '/srv/project' });
 * export const workspace = executeIn(hands);
 * ```
 */
export function executeIn(
  server: RemoteWorkspace | StartableWorkspace,
  options: ExecuteInOptions = {},
): ExecutorWorkspace {
  checkOptionNames('executeIn', options, { workingDir: true }, checks.invalid);
  const given: RemoteWorkspaceDescription | undefined = server;
  if (given?.kind !== 'RemoteWorkspace' || !(isStartable(given) || 'connect' in given))
    throw checks.invalid(
      checks.wrongValue('executeIn: server', 'new RemoteWorkspace({ host, apiKey }) or a container', server),
    );
  const { workingDir = given.workingDir } = options;
  if (typeof workingDir !== 'string' || !workingDir.startsWith('/'))
    throw checks.invalid(
      `${checks.wrongValue('executeIn: workingDir', 'an absolute folder of the executor', workingDir)}; give workingDir, such as '/workspace'`,
    );
  const executor = new RemoteExecutor(server);
  return { kind: 'LocalWorkspace', workingDir, executor, close: () => executor.close() };
}
