import process from 'node:process';

import { CommandError } from '../command-error.ts';
import { become } from '../companion.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import type { Program } from '../program.ts';

/** Settings that name another store than the default one. */
const STORE_SETTINGS = ['CONV_STORE', 'OH_CONVERSATIONS_PATH', 'CONV_CONFIG'];

/**
 * Starts the agent server with these arguments of its own, over the store of this program unless another is named. Rejects
 * {@link CommandError} for another server.
 */
export async function serveCommand(args: readonly string[], { defaultStore }: Program): Promise<ExitCode> {
  if (args.some((argument) => /^--server(?:=|$)/.test(argument)))
    throw new CommandError(
      exitCodes.usage,
      'serve starts a server, so it takes the store of the server, and no other server; name the store with --store',
    );
  const isNamed =
    args.some((argument) => /^--(?:store|config)(?:=|$)/.test(argument)) ||
    STORE_SETTINGS.some((name) => (process.env[name] ?? '') !== '');
  const environment = isNamed ? process.env : { ...process.env, CONV_STORE: defaultStore };
  return await become({ command: 'serve', package: '@conv/agent-server', bin: 'conv-server' }, args, environment);
}
