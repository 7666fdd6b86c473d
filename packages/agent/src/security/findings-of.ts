import type { AssessOptions } from '@conv/core';
import type { EventDraftOfKind } from '@conv/core/events';
import { isObject } from '@conv/core/platform';
import { listeningAt } from './facts/addresses.ts';
import { type Finding, findingOf } from './facts/findings.ts';
import { surroundingsOf, UNKNOWN } from './facts/places.ts';
import { argumentsOf, EARLIER_FOLDER, readAction, terminalCommand } from './read-action.ts';
import type { FileFacts } from './read-edit.ts';
import { ShellReader, type ShellRules } from './shell/reader.ts';
import type { World } from './shell/world.ts';
import { readsFrom, writesTo } from './commands/file-access.ts';
import { judge } from './programs/judge.ts';

type Action = EventDraftOfKind<'ActionEvent'>;

const RULES: ShellRules = { judge, readsFrom, writesTo };

/** Stands for an unknown workspace, so that relative paths count as inside. */
const SOME_WORKSPACE = '/\u0003';

/** Returns the findings about an action that consists of these texts. */
export function findingsOf(
  action: Action,
  given: unknown,
  runs: readonly string[],
  circumstances: AssessOptions,
  facts: readonly FileFacts[] = [],
): readonly Finding[] {
  // the text before an edit is read, the text after it, and both again for what they define
  let length = 0;
  for (const { before } of facts) length += 4 * (before?.length ?? 0);
  for (const text of runs) length += text.length;
  const world = worldOf(circumstances);
  const read = (folder: string): readonly Finding[] => {
    const shell = new ShellReader(world, length, RULES);
    shell.variables.folder = folder;
    shell.variables.previous = EARLIER_FOLDER;
    readAction(action, given, shell, facts);
    return shell.found.length === 0 ? [] : shell.found.map(findingOf);
  };
  const isKnown = circumstances.shellFolders === undefined && circumstances.earlierActions === undefined;
  if (isKnown || terminalCommand(action, given) === undefined) return read(world.workspace);
  return [...new Set(foldersOf(given, world, circumstances).flatMap(read))];
}

/** The most folders from which one action is read; more count as one unknown folder. */
const MAX_FOLDERS = 8;

/** Returns the folders in which the shell may be when it runs a call: from those before the earlier actions on. */
function foldersOf(given: unknown, world: World, circumstances: AssessOptions): readonly string[] {
  const { shellFolders = [world.workspace], earlierActions = [] } = circumstances;
  const folders = new Set(shellFolders);
  for (const action of earlierActions) {
    const before = argumentsOf(action);
    const command = terminalCommand(action, before);
    if (command === undefined) continue;
    if (startsAnew(before)) folders.add(world.workspace);
    for (const folder of [...folders].slice(0, MAX_FOLDERS)) enter(folder, action, before, command, world, folders);
  }
  if (startsAnew(given)) folders.add(world.workspace);
  return folders.size <= MAX_FOLDERS ? [...folders] : [...[...folders].slice(0, MAX_FOLDERS), UNKNOWN];
}

/** True if a call ends the shell first, so that a new one begins in the workspace. */
function startsAnew(given: unknown): boolean {
  return isObject(given) && given['reset'] === true;
}

/** Adds the folders that an action enters; it may have stopped in each of them. */
function enter(
  folder: string,
  action: Action,
  given: unknown,
  command: string,
  world: World,
  folders: Set<string>,
): void {
  const shell = new ShellReader(world, command.length, RULES);
  shell.variables.folder = folder;
  shell.variables.previous = EARLIER_FOLDER;
  shell.variables.visited = folders;
  readAction(action, given, shell);
  const isUnclear = shell.found.some((id) => id === 'unread' || id === 'unseen-code' || id === 'hidden-folder');
  if (isUnclear) folders.add(UNKNOWN);
}

interface Known extends Pick<AssessOptions, 'workingDirectory'> {
  readonly addresses: readonly string[];
  readonly paths: readonly string[];
  readonly world: World;
}

const NONE: readonly string[] = [];

let last: Known | undefined;

/** Returns the world of an action; the same object as for the action before, if nothing has changed. */
function worldOf({ workingDirectory = SOME_WORKSPACE, protectedPlaces }: AssessOptions): World {
  const { addresses = NONE, paths = NONE } = protectedPlaces ?? {};
  if (
    last?.workingDirectory !== workingDirectory ||
    !isEqual(last.addresses, addresses) ||
    !isEqual(last.paths, paths)
  ) {
    const world = newWorld(workingDirectory, addresses, paths);
    last = { workingDirectory, addresses: [...addresses], paths: [...paths], world };
  }
  return last.world;
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false;
  return true;
}

function newWorld(workspace: string, addresses: readonly string[], paths: readonly string[]): World {
  return {
    ...surroundingsOf(workspace),
    listening: listeningAt(addresses),
    guarded: paths.map((path) => path.split('/').filter((name) => name !== '')),
  };
}
