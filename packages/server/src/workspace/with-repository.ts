import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { AllowedFolders } from './allowed-folders.ts';
import { findRepository, type RepositoryPlaces } from './find-repository.ts';
import { type GitLimits, type RunGit, runGit } from './run-git.ts';
import { withScratch } from './scratch-folder.ts';

/** A repository opened for reading. */
export interface Repository {
  /** The top folder of the work tree. */
  readonly top: string;
  /** Runs git on the repository. Nothing is written into it. */
  readonly git: RunGit;
  /** A path for an index beside the repository's own. */
  readonly otherIndex: string;
}

/** Options of reading repositories. */
export interface RepositoryOptions {
  /** Variables of git's process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Folders that must contain repositories and everything that they refer to. */
  readonly folders: AllowedFolders;
  readonly limits?: GitLimits;
}

const ZERO = Buffer.from([0]).toString();

/** Settings of a repository about reading its data. None of them names a program. */
const HARMLESS =
  /^(?:core\.(?:repositoryformatversion|filemode|ignorecase|symlinks|precomposeunicode|autocrlf|eol|sparsecheckout|sparsecheckoutcone)|extensions\.(?:objectformat|refstorage)|branch\.[^\n]+\.(?:remote|merge)|remote\.[^\n]+\.fetch)$/;
/** Settings of a user about reading the data of all repositories. */
const HARMLESS_OF_USER = /^core\.(?:excludesfile|autocrlf|eol|precomposeunicode)$/;

/** Entries of a repository's folder that git reads besides HEAD, index and objects. */
const SHARED = ['refs', 'packed-refs', 'reftable', 'shallow', 'ORIG_HEAD', 'FETCH_HEAD', 'MERGE_HEAD'];

/**
 * Calls `work` with the repository that a folder lies in; with `undefined` when it lies in none. Git sees a folder of ours in place
 * of the repository's own. Its branches and objects are there, and only those of its settings that name no program. So no filter,
 * converter, hook or helper of a repository is active, not even a kind that a later git adds.
 */
export async function withRepository<T>(
  folder: string,
  options: RepositoryOptions,
  work: (repository: Repository | undefined) => Promise<T>,
): Promise<T> {
  const places = await findRepository(folder, options.folders);
  if (places === undefined) return work(undefined);
  return withScratch(async (scratch) => {
    const run = runGit(options.environment, options.limits);
    await prepare(scratch, places, await settingsOf(places, options, run));
    const environment = {
      GIT_DIR: scratch,
      GIT_WORK_TREE: places.top,
      GIT_INDEX_FILE: join(places.own, 'index'),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ATTR_NOSYSTEM: '1',
    };
    return work({
      top: places.top,
      git: (at, args, more) => run(at, args, { ...environment, ...more }),
      otherIndex: join(scratch, 'index'),
    });
  });
}

async function prepare(scratch: string, places: RepositoryPlaces, settings: string): Promise<void> {
  await Promise.all([
    mkdir(join(scratch, 'objects', 'info'), { recursive: true }),
    mkdir(join(scratch, 'info')),
    writeFile(join(scratch, 'config'), settings),
  ]);
  await writeFile(join(scratch, 'HEAD'), await readFile(join(places.own, 'HEAD')));
  await writeFile(join(scratch, 'objects', 'info', 'alternates'), places.objects.map((path) => `${path}\n`).join(''));
  const links = SHARED.map((name) => link(join(places.common, name), join(scratch, name)));
  const info = ['exclude', 'sparse-checkout'].map((name) =>
    link(join(places.common, 'info', name), join(scratch, 'info', name)),
  );
  // a split index refers to a shared one
  const parts = (await readdir(places.own)).filter((name) => name.startsWith('sharedindex.'));
  const shared = parts.map((name) => link(join(places.own, name), join(scratch, name)));
  await Promise.all([...links, ...info, ...shared]);
}

async function link(target: string, path: string): Promise<void> {
  if (await isThere(target)) await symlink(target, path);
}

async function settingsOf(places: RepositoryPlaces, options: RepositoryOptions, run: RunGit): Promise<string> {
  const { GIT_CONFIG_GLOBAL: global } = options.environment;
  const file = join(places.common, 'config');
  const list = ['config', '--no-includes', '--list', '-z'];
  const [own, user] = await Promise.all([
    (await isThere(file)) ? run('/', [...list, '--file', file]) : '',
    // git fails if there is no such file
    run('/', [...list, '--global'], global === undefined ? {} : { GIT_CONFIG_GLOBAL: global }).catch(() => ''),
  ]);
  return [...chosen(user, HARMLESS_OF_USER), ...chosen(own, HARMLESS)].join('');
}

/** Returns the settings that match, in the format of a settings file. */
function chosen(list: string, fits: RegExp): readonly string[] {
  return list.split(ZERO).flatMap((entry) => {
    const end = entry.indexOf('\n');
    const name = end === -1 ? entry : entry.slice(0, end);
    if (!fits.test(name)) return [];
    const section = name.slice(0, name.indexOf('.'));
    const key = name.slice(name.lastIndexOf('.') + 1);
    const part = name.slice(section.length + 1, -key.length - 1);
    const head = part === '' ? `[${section}]` : `[${section} "${escaped(part)}"]`;
    return [`${head}\n\t${key}${end === -1 ? '' : ` = "${escaped(entry.slice(end + 1))}"`}\n`];
  });
}

function escaped(text: string): string {
  return text.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n');
}

async function isThere(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true || found?.isDirectory() === true;
}
