import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';
import { bashRoutes, fileRoutes, gitRoutes } from '@conv/openhands/rest';

import type { SocketHandler } from '../sockets/socket-handler.ts';
import { WorkspaceHost, type WorkspaceHostOptions, type WorkspaceHostDeps } from '../workspace/workspace-host.ts';
import { bashSocketOf, serveBash } from './serve-bash.ts';
import { type ReachedBy, serveFiles, serveFolders } from './serve-files.ts';
import { serveGit } from './serve-git.ts';
import { serveConversationRuntimes } from './serve-runtimes.ts';
import { callerOf } from '../auth/caller.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';

/** Serves the server's machine: files, git, commands, also in the folders of the host's conversations. Resolves with the socket on which commands are seen. */
export async function serveWorkspaceHost(
  app: FastifyInstance,
  options: WorkspaceHostOptions,
  { host, ...deps }: WorkspaceHostDeps & { readonly host?: ConversationHost },
): Promise<SocketHandler> {
  const workspaceHost = new WorkspaceHost(options, deps);
  workspaceHost.liveWith(app);
  await app.register(multipart);
  const reached: ReachedBy = (request) => workspaceHost.reachedBy(callerOf(request));
  serveBash(app, bashRoutes, () => workspaceHost.bash);
  serveGit(app, gitRoutes, reached);
  serveFiles(app, fileRoutes, { workspaceHost, reached });
  serveFolders(app, fileRoutes, reached);
  if (host) await serveConversationRuntimes(app, workspaceHost, host);
  return bashSocketOf(workspaceHost);
}
