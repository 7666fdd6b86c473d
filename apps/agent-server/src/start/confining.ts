import { relative } from 'node:path';

import { chooseSandbox, type ChosenSandbox, type LimitReached } from '@conv/sandbox';
import type { Logger } from 'pino';

import type { Configuration } from '../configuration/effective-configuration.ts';
import { hiddenPlaces } from '../hidden-places.ts';
import { pluginFolders, readableFolders } from '../plugins/plugin-folders.ts';
import { withoutPlantedLinks } from './without-planted-links.ts';

/**
 * Resolves with the sandbox that the setting asks for. It hides what belongs to the server, which may lie in the workspace of a conversation.
 * Rejects as {@link chooseSandbox} does.
 */
export async function confiningOf(configuration: Configuration, log: Logger): Promise<ChosenSandbox> {
  const { sandbox: mode, sandboxLimits: limits, sandboxRead: read, sandboxHosts: hosts } = configuration;
  const { workspaceFolder, worktreesFolder, userFolder } = configuration;
  const onLimit = (reached: LimitReached): void => log.warn(reached, 'ended a program at a limit of the sandbox');
  const hide = hiddenPlaces(configuration);
  const chosen = await chooseSandbox(mode, {
    hide,
    read: [...read, ...(await readableBeside(hide, userFolder))],
    hosts,
    limits,
    onLimit,
  });
  if (!chosen.sandbox) return chosen;
  return { ...chosen, sandbox: withoutPlantedLinks(chosen.sandbox, [workspaceFolder, worktreesFolder]) };
}

/** Returns the folders of skills and plugins that programs may read, without folders that are hidden. */
async function readableBeside(hide: readonly string[], userFolder: string): Promise<readonly string[]> {
  const isIn = (path: string, folder: string): boolean => !relative(folder, path).startsWith('..');
  const folders = await readableFolders(pluginFolders(userFolder));
  return folders.filter((path) => !hide.some((hidden) => isIn(path, hidden)));
}

/** Says at the start what confines commands. */
export function tellOf({ sandbox, unconfined }: ChosenSandbox, log: Logger): void {
  if (sandbox) log.info({ sandbox: sandbox.name }, 'commands run in a sandbox');
  if (unconfined !== undefined)
    log.warn({ reason: unconfined }, `commands run without ${sandbox ? 'limits' : 'a sandbox'}`);
  if (!sandbox && unconfined === undefined) log.info('commands run without a sandbox, because it is off');
}
