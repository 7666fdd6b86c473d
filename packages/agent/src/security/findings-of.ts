import type { AssessOptions } from '@conv/core';
import type { EventDraftOfKind } from '@conv/core/events';
import { listeningAt } from './addresses.ts';
import { type Finding, findingOf } from './findings.ts';
import { surroundingsOf } from './places.ts';
import { readAction } from './read-action.ts';
import { ShellReader, type World } from './shell/reader.ts';

/** Stands for the workspace where none is known, so that relative paths count as inside of it. */
const SOME_WORKSPACE = '/\u0003';

/** Findings about what an action does. */
export function findingsOf(
  action: EventDraftOfKind<'ActionEvent'>,
  given: unknown,
  circumstances: AssessOptions,
): readonly Finding[] {
  const shell = new ShellReader(worldOf(circumstances), lengthOf(given, 0));
  readAction(action, given, shell);
  return [...shell.found].map(findingOf);
}

let last: { readonly key: string; readonly world: World } | undefined;

/** The world of an action; that of the action before, when nothing has changed. */
function worldOf({ workingDirectory = SOME_WORKSPACE, protectedPlaces }: AssessOptions): World {
  const { addresses = [], paths = [] } = protectedPlaces ?? {};
  const key = [workingDirectory, ...addresses, '', ...paths].join('\n');
  if (last?.key !== key) last = { key, world: newWorld(workingDirectory, addresses, paths) };
  return last.world;
}

function newWorld(workspace: string, addresses: readonly string[], paths: readonly string[]): World {
  return {
    ...surroundingsOf(workspace),
    listening: listeningAt(addresses),
    guarded: paths.map((path) => path.split('/').filter((name) => name !== '')),
  };
}

/** Characters of all texts. */
function lengthOf(given: unknown, depth: number): number {
  if (typeof given === 'string') return given.length;
  if (typeof given !== 'object' || given === null || depth > 100) return 0;
  return Object.values(given).reduce<number>((sum, member) => sum + lengthOf(member, depth + 1), 0);
}
