import { chooseSandbox, type ChosenSandbox, type LimitReached } from '@conv/sandbox';
import { parseStoreAddress } from '@conv/stores';
import type { Logger } from 'pino';

import type { Configuration } from '../configuration/effective-configuration.ts';
import { withoutPlantedLinks } from './without-planted-links.ts';

/**
 * Resolves with the sandbox that the setting asks for. It hides what belongs to the server, which may lie in the workspace of a conversation.
 * Rejects as {@link chooseSandbox} does.
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
): Promise<ChosenSandbox> {
  const onLimit = (reached: LimitReached): void => log.warn(reached, 'ended a program at a limit of the sandbox');
  const hide = [conversationsFolder, ...filesOf(store), settingsFolder, ...ownFiles];
  const chosen = await chooseSandbox(mode, { hide, limits, onLimit });
  if (!chosen.sandbox) return chosen;
  return { ...chosen, sandbox: withoutPlantedLinks(chosen.sandbox, [workspaceFolder, worktreesFolder]) };
}

/** Says at the start what confines commands. */
export function tellOf({ sandbox, unconfined }: ChosenSandbox, log: Logger): void {
  if (sandbox) log.info({ sandbox: sandbox.name }, 'commands run in a sandbox');
  if (unconfined !== undefined)
    log.warn({ reason: unconfined }, `commands run without ${sandbox ? 'limits' : 'a sandbox'}`);
  if (!sandbox && unconfined === undefined) log.info('commands run without a sandbox, because it is off');
}

/** Returns the files of a store that keeps no folders: the workspace of a conversation may be the folder in which they are. */
function filesOf(store: string): readonly string[] {
  const address = parseStoreAddress(store);
  return address.kind === 'sqlite' ? ['', '-wal', '-shm', '-ends', '-kept'].map((end) => `${address.file}${end}`) : [];
}
