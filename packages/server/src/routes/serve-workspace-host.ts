import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';

import type { SocketHandler } from '../sockets/socket-handler.ts';
import { WorkspaceHost, type WorkspaceHostOptions, type WorkspaceHostDeps } from '../workspace/workspace-host.ts';
import { bashSocketOf, serveBash } from './serve-bash.ts';
import { serveFiles } from './serve-files.ts';
import { serveGit } from './serve-git.ts';

/** Serves the server's machine: files, git, commands. Resolves with the socket on which commands are seen. */
export async function serveWorkspaceHost(
  app: FastifyInstance,
  options: WorkspaceHostOptions,
  deps: WorkspaceHostDeps,
): Promise<SocketHandler> {
  const workspaceHost = new WorkspaceHost(options, deps);
  workspaceHost.endWith(app);
  await app.register(multipart);
  serveBash(app, workspaceHost);
  serveGit(app, workspaceHost);
  serveFiles(app, workspaceHost);
  return bashSocketOf(workspaceHost);
}
