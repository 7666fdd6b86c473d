import { type LimitReached, limitsProblem, sandbox, sandboxProblem } from '@conv/sandbox';
import type { Sandbox } from '@conv/core/tool';
import { parseStoreAddress } from '@conv/stores';
import type { Logger } from 'pino';

import type { Configuration } from '../configuration/effective-configuration.ts';
import { withoutPlantedLinks } from './without-planted-links.ts';

/** The sandbox of a server's agents. `unconfined`: what it does not hold although the setting asks for it, and why. */
export interface Confining {
  readonly sandbox?: Sandbox;
  readonly unconfined?: string;
}

/**
 * Resolves with the sandbox that the setting asks for. `auto` is without one where the machine has none. Rejects for `on` and `closed` there,
 * because a server that was told to confine commands must not run them otherwise.
 */
export async function confiningOf(
  {
    sandbox: mode,
    sandboxLimits: limits,
    store,
    conversationsFolder,
    settingsFolder,
    workspaceFolder,
    worktreesFolder,
    ownFiles,
  }: Configuration,
  log: Logger,
): Promise<Confining> {
  if (mode === 'off') return {};
  const problem = await sandboxProblem();
  if (problem === undefined) {
    const network = mode === 'closed' ? 'closed' : 'open';
    const hide = [conversationsFolder, ...filesOf(store), settingsFolder, ...ownFiles];
    const onLimit = (reached: LimitReached): void => log.warn(reached, 'ended a program at a limit of the sandbox');
    const unlimited = await limitsProblem();
    return {
      sandbox: withoutPlantedLinks(sandbox({ network, hide, limits, onLimit }), [workspaceFolder, worktreesFolder]),
      ...(unlimited === undefined ? {} : { unconfined: unlimited }),
    };
  }
  if (mode === 'auto') return { unconfined: problem };
  throw new Error(`sandbox: expected a machine that confines commands for ${mode}, found none. ${problem}`);
}

/** Says at the start what confines commands. */
export function tellOf({ sandbox, unconfined }: Confining, log: Logger): void {
  if (sandbox) log.info({ sandbox: sandbox.name }, 'commands run in a sandbox');
  if (unconfined !== undefined)
    log.warn({ reason: unconfined }, `commands run without ${sandbox ? 'limits' : 'a sandbox'}`);
}

/** Returns the files of a store that keeps no folders: the workspace of a conversation may be the folder in which they are. */
function filesOf(store: string): readonly string[] {
  const address = parseStoreAddress(store);
  return address.kind === 'sqlite' ? ['', '-wal', '-shm', '-ends', '-kept'].map((end) => `${address.file}${end}`) : [];
}
