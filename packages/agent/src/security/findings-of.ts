import type { AssessOptions } from '@conv/core';
import type { EventDraftOfKind } from '@conv/core/events';
import { listeningAt } from './facts/addresses.ts';
import { type Finding, findingOf } from './facts/findings.ts';
import { surroundingsOf } from './facts/places.ts';
import { readAction } from './read-action.ts';
import type { FileFacts } from './read-edit.ts';
import { ShellReader, type ShellRules } from './shell/reader.ts';
import type { World } from './shell/world.ts';
import { readsFrom, writesTo } from './commands/file-access.ts';
import { judge } from './programs/judge.ts';

const RULES: ShellRules = { judge, readsFrom, writesTo };

/** Stands for the workspace where none is known, so that relative paths count as inside of it. */
const SOME_WORKSPACE = '/\u0003';

/** Findings about what an action does that consists of these texts. */
export function findingsOf(
  action: EventDraftOfKind<'ActionEvent'>,
  given: unknown,
  runs: readonly string[],
  circumstances: AssessOptions,
  facts?: FileFacts,
): readonly Finding[] {
  // the text before an edit is read, the text after it, and both again for what they define
  let length = 4 * (facts?.before?.length ?? 0);
  for (const text of runs) length += text.length;
  const shell = new ShellReader(worldOf(circumstances), length, RULES);
  readAction(action, given, shell, facts);
  return shell.found.length === 0 ? [] : shell.found.map(findingOf);
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
