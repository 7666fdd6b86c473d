import { relative } from 'node:path';

import { chooseSandbox, type ChosenSandbox, type LimitReached } from '@conv/sandbox';
import type { Logger } from 'pino';

import type { Configuration } from '../configuration/effective-configuration.ts';
import { hiddenPlaces } from '../hidden-places.ts';
import { copiesAmong, pluginFolders, readableFolders } from '../plugins/plugin-folders.ts';
import { withoutPlantedLinks } from './without-planted-links.ts';

/**
 * Resolves with the sandbox that the setting asks for. It hides what belongs to the server, which may lie in the workspace of a conversation.
 * Rejects as {@link chooseSandbox} does.
 *
 * @param givenFoldersOf resolves with the copies of plugins that a conversation was given. Default: none
 */
export async function confiningOf(
  configuration: Configuration,
  log: Logger,
  givenFoldersOf?: (conversationId: string) => Promise<readonly string[]>,
): Promise<ChosenSandbox> {
  const { sandbox: mode, sandboxLimits: limits, sandboxRead: read, sandboxHosts: hosts } = configuration;
  const { workspaceFolder, worktreesFolder, userFolder } = configuration;
  const onLimit = (reached: LimitReached): void => log.warn(reached, 'ended a program at a limit of the sandbox');
  const hide = hiddenPlaces(configuration);
  const folders = pluginFolders(userFolder);
  const chosen = await chooseSandbox(mode, {
    hide,
    read: [...read, ...outside(hide, await readableFolders(folders))],
    // a copy may come from a repository that only its principal reads, so no other conversation sees it
    ...(givenFoldersOf ? { readOf: async (id) => outside(hide, copiesAmong(await givenFoldersOf(id), folders)) } : {}),
    hosts,
    limits,
    onLimit,
  });
  if (!chosen.sandbox) return chosen;
  return { ...chosen, sandbox: withoutPlantedLinks(chosen.sandbox, [workspaceFolder, worktreesFolder]) };
}

/** Returns the paths that lie in no hidden folder. */
function outside(hide: readonly string[], paths: readonly string[]): readonly string[] {
  const isIn = (path: string, folder: string): boolean => !relative(folder, path).startsWith('..');
  return paths.filter((path) => !hide.some((hidden) => isIn(path, hidden)));
}

/** Says at the start what confines commands. */
export function tellOf({ sandbox, unconfined }: ChosenSandbox, log: Logger): void {
  if (sandbox) log.info({ sandbox: sandbox.name }, 'commands run in a sandbox');
  if (unconfined !== undefined)
    log.warn({ reason: unconfined }, `commands run without ${sandbox ? 'limits' : 'a sandbox'}`);
  if (!sandbox && unconfined === undefined) log.info('commands run without a sandbox, because it is off');
}
