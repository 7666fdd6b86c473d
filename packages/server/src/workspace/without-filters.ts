import type { RunGit } from './run-git.ts';

/** Settings of a filter that name its programs, or make it required. */
const FILTER = /^(filter\..+)\.(?:process|clean|smudge|required)$/s;

/** Settings that disable a filter. */
const OFF = { process: '', clean: '', smudge: '', required: 'false' };

/** Settings that keep git from starting maintenance of its own after a commit. */
const QUIET: readonly (readonly [string, string])[] = [
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
];

/**
 * Returns a git for commands in `folder` that runs no filter of its settings. Settings may depend on the folder, so each folder
 * needs its own git.
 */
export async function withoutFilters(git: RunGit, folder: string): Promise<RunGit> {
  const names = (await git(folder, ['config', '--list', '--name-only', '-z'])).split('\0');
  const filters = new Set(names.flatMap((name) => FILTER.exec(name)?.[1] ?? []));
  const settings = [
    ...QUIET,
    ...[...filters].flatMap((filter) =>
      Object.entries(OFF).map(([name, value]) => [`${filter}.${name}`, value] as const),
    ),
  ];
  const environment = Object.fromEntries(
    settings.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  );
  const all = { ...environment, GIT_CONFIG_COUNT: String(settings.length) };
  return (where, args, more) => git(where, args, { ...all, ...more });
}
