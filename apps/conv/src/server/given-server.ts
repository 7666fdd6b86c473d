import process from 'node:process';

import type { RemoteWorkspace } from '@conv/remote';

import { exitCodes } from '../exit-code.ts';
import { CommandError } from '../command-error.ts';
import { note } from '../terminal/output.ts';
import { SERVER_KEY_VARIABLE } from './key-variable.ts';
import { ServerWatch } from './server-watch.ts';

/** Milliseconds in which a server has to say that it is there, without warnings. A run that has begun waits for longer. */
const FIRST_ANSWER = { answerTimeout: 10_000, requestTimeout: 1_000, onRetry: () => undefined };

/** Milliseconds without its first answer after which a person is told what the program waits for. */
const SILENCE = 1_500;

/** Options for the server of a command; without them the command is about this machine. */
export interface ServerOptions {
  /** Its address. */
  readonly server?: string;
  /** The variable that holds its key. */
  readonly serverKey?: string;
}

/** Makes the given server, with a folder there. */
export type ServerIn = (workingDir: string | undefined) => RemoteWorkspace;

/**
 * Returns the given server with a folder there; `undefined` when none was given. `watch` hears if it answers. The variable with its key is removed from the
 * environment, so that no child process inherits it. Rejects {@link CommandError} for a variable that is not set, and
 * `ConversationError`: `INVALID_INPUT` for an invalid address, `UNREACHABLE` when no server answers.
 */
export async function givenServer(
  options: ServerOptions,
  workingDir?: string,
  watch: ServerWatch = new ServerWatch(),
): Promise<RemoteWorkspace | undefined> {
  const serverIn = await givenServerIn(options, watch);
  return serverIn?.(workingDir);
}

/** As {@link givenServer}, for more than one folder of the server. */
export async function givenServerIn(
  { server, serverKey }: ServerOptions,
  watch: ServerWatch = new ServerWatch(),
): Promise<ServerIn | undefined> {
  if (server === undefined) {
    if (serverKey === undefined) return undefined;
    throw new CommandError(
      exitCodes.usage,
      '--server-key has no effect without --server: leave it out, or name the server',
    );
  }
  const apiKey = takeKey(serverKey);
  const given = { host: server, ...(apiKey && { apiKey }) };
  const { RemoteWorkspace: Workspace } = await import('@conv/remote');
  const probe = new Workspace({ ...given, requests: FIRST_ANSWER });
  const silence = setTimeout(() => note(`waiting for ${probe.host} to answer`), SILENCE);
  try {
    await probe.serverInfo();
  } finally {
    clearTimeout(silence);
    await probe.close();
  }
  return (workingDir) => new Workspace({ ...given, ...(workingDir && { workingDir }), requests: watch.requests });
}

/** Returns the arguments that make a command use the same server. */
export function serverArguments({ server, serverKey }: ServerOptions): string {
  if (server === undefined) return '';
  return ` --server ${server}${serverKey === undefined ? '' : ` --server-key ${serverKey}`}`;
}

function takeKey(named: string | undefined): string | undefined {
  const variable = named ?? SERVER_KEY_VARIABLE;
  const key = process.env[variable] ?? '';
  delete process.env[variable];
  if (key !== '') return key;
  if (named === undefined) return undefined;
  throw new CommandError(exitCodes.usage, `the key of the server has no value: set the variable ${named}`);
}
