import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';

import type { SocketHandler } from '../sockets/socket-handler.ts';
import { Machine, type MachineOptions, type OwnPaths } from '../workspace/workspace-host.ts';
import { bashSocketOf, serveBash } from './serve-bash.ts';
import { serveFiles } from './serve-files.ts';
import { serveGit } from './serve-git.ts';

/** Serves the server's machine: files, git, commands. Resolves with the socket on which commands are seen. */
export async function serveMachine(
  app: FastifyInstance,
  options: MachineOptions,
  own: OwnPaths,
): Promise<SocketHandler> {
  const machine = new Machine(options, own);
  machine.endWith(app);
  await app.register(multipart);
  serveBash(app, machine);
  serveGit(app, machine);
  serveFiles(app, machine);
  return bashSocketOf(machine);
}
