import { lstatSync, mkdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';

import { errorText } from '@conv/core';
import { ToolError } from '@conv/core/tool';

import { keysOf } from './keys-of-home.ts';
import { type KeptCache, makePlaces } from './kept-caches.ts';
import { isWithin, Mounts } from './mounts.ts';
import { existing, isFolder, ledTo, realPath } from './real-path.ts';
import type { Rules } from './rules.ts';
import { nameServers, systemMounts } from './system-paths.ts';
import { worktreeOf } from './worktree-of.ts';

/** The folders of a conversation. `side`: the folder with long output of tools. */
export interface ConversationFolders {
  readonly workspace: string;
  readonly side: string | undefined;
}

/** The folders for files of a conversation's own programs. */
export interface OwnFolders {
  readonly home: string;
  readonly temporary: string;
  /** Folders in the place of those of the home that other conversations of the workspace see, too. */
  readonly caches: readonly KeptCache[];
}

/**
 * Returns what programs see as long as a confinement is open: the system, their own home and temporary folder, and the paths that they
 * are given, also by the links through which these were given. `home`: the user's home, in whose place the own home is.
 */
export function lastingMounts(
  { workspace, side, home }: ConversationFolders & { readonly home: string },
  { read, write, protect }: Rules,
  own: OwnFolders,
): Mounts {
  const given = existing([workspace, ...read, ...write]);
  const mounts = new Mounts();
  for (const mount of systemMounts()) mounts.set(mount);
  mounts.add('read', nameServers());
  for (const path of temporaryFolders(given)) mounts.set({ kind: 'write', path, source: own.temporary });
  // A service may have no home but the root folder, which cannot be replaced.
  if (home !== '/') {
    mounts.set({ kind: 'write', path: home, source: own.home });
    // also through a link of the user's home, in which a cache would be made for all
    const isGiven = (path: string): boolean =>
      given.some((folder) => isWithin(folder, path) || isWithin(folder, ledTo(path)));
    const caches = own.caches.filter(({ path }) => !isGiven(home) && !isGiven(path));
    for (const cache of [...makePlaces(caches, home, own.home), ...caches]) mounts.set({ kind: 'write', ...cache });
  }
  mounts.add('read', existing(read));
  mounts.add('write', existing([workspace, ...write]));
  hideKeys(mounts, realPath(home) ?? home);
  showRepository(mounts, realPath(workspace) ?? workspace, protect);
  if (side !== undefined) makeSide(side);
  for (const path of [workspace, ...read, ...write, ...(side === undefined ? [] : [side])])
    showLink(mounts, resolve(path));
  return mounts;
}

/**
 * Adds mounts over the paths to hide and to protect in folders that programs see. Pin them before a program starts. Throws {@link ToolError} `FAILED` if a path to protect
 * is a symbolic link.
 */
export function withGuards(
  mounts: Mounts,
  { workspace, side }: ConversationFolders,
  { hide, protect, directory }: Rules,
): Mounts {
  for (const path of existing(hide)) mounts.set({ kind: isFolder(path) ? 'empty' : 'blank', path });
  // The homes of other conversations, in which a program could plant others.
  for (const path of existing([directory])) if (mounts.covers(path)) mounts.set({ kind: 'empty', path });
  // output that is too long for the log is read from there, and written by this process
  if (side !== undefined) mounts.add('read', existing([side]));
  for (const name of protect) addProtected(mounts, workspace, name);
  return mounts;
}

/** Hides the keys of a home that lies in a folder which programs see. A path that they are given itself they see. */
function hideKeys(mounts: Mounts, home: string): void {
  for (const path of existing(keysOf(home)))
    if (mounts.covers(path) && !mounts.isMounted(path)) mounts.set({ kind: isFolder(path) ? 'empty' : 'blank', path });
}

/**
 * Shows the repository of a worktree, so that git can commit there. Its settings, its hooks, and what belongs to other worktrees can only
 * be read, and where all of `.git` is protected, so can the rest.
 *
 * Shows no repository in the workspace, and none in which one of these names is a symbolic link, because an earlier program may have made
 * it to see the target of the link.
 */
function showRepository(mounts: Mounts, workspace: string, protect: readonly string[]): void {
  const worktree = worktreeOf(workspace);
  if (worktree === undefined || isWithin(workspace, worktree.common)) return;
  const { common, own } = worktree;
  const closed = ['config', 'hooks', 'HEAD', 'index', 'worktrees'].map((name) => join(common, name));
  const ofWorktree = ['commondir', 'gitdir', 'config.worktree'].map((name) => join(own, name));
  const closedHere = [...closed, ...ofWorktree].filter(
    (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined,
  );
  if (closedHere.some((path) => realPath(path) !== path)) return;
  const isProtected = protect.some((name) => resolve(workspace, name) === join(workspace, '.git'));
  mounts.add(isProtected ? 'read' : 'write', [common, own]).add('read', closedHere);
  const hooks = join(common, 'hooks');
  if (!isProtected && !closedHere.includes(hooks)) mounts.set({ kind: 'empty', path: hooks });
}

/**
 * Shows a folder of programs, and where the links on its path lead, unless a program inside can put another link there. Hidden paths
 * stay hidden. `known`: answers about folders on the way, for other paths of the same mounts.
 */
export function showPrograms(mounts: Mounts, path: string, known: Map<string, boolean> = new Map()): void {
  const real = realPath(path);
  if (real === undefined || mounts.hides(path) || mounts.hides(real) || isLed(mounts, path, known)) return;
  if (!mounts.covers(real)) mounts.add('read', [real]);
  // the same folder under a second name shows what is hidden under the first
  if (!mounts.covers(path) && !mounts.hidesIn(real)) mounts.set({ kind: 'read', path, source: real });
}

/** True if the way to an existing path passes a folder in which programs inside write. */
function isLed(mounts: Mounts, path: string, known: Map<string, boolean>): boolean {
  const answer = known.get(path) ?? (path !== '/' && isLedIn(mounts, path, known));
  known.set(path, answer);
  return answer;
}

function isLedIn(mounts: Mounts, path: string, known: Map<string, boolean>): boolean {
  const folder = dirname(path);
  if (isLed(mounts, folder, known)) return true;
  const at = join(realPath(folder) ?? folder, basename(path));
  if (mounts.shares(at)) return true;
  const isLink = lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink && isLed(mounts, resolve(dirname(at), readlinkSync(at)), known);
}

/** Returns the folders for temporary files. A folder of the workspace that TMPDIR names is no other folder inside. */
function temporaryFolders(given: readonly string[]): ReadonlySet<string> {
  const named = realPath(tmpdir()) ?? resolve(tmpdir());
  const isGiven = named === '/' || given.some((path) => isWithin(path, named));
  return new Set(['/tmp', '/var/tmp', ...(isGiven ? [] : [named])]);
}

function makeSide(side: string): void {
  try {
    mkdirSync(side, { recursive: true });
  } catch (cause) {
    const message = `The sandbox needs a folder for long output of tools, and cannot make ${side}: ${errorText(cause)}. Let this user write there.`;
    throw new ToolError('FAILED', message, { cause });
  }
}

/** Makes a path of the workspace read-only, or the file in the place of one of its folders. A slash at its end says that it is a folder. */
function addProtected(mounts: Mounts, workspace: string, name: string): void {
  let path = workspace;
  const parts = relative(path, resolve(path, name)).split('/');
  for (const [at, part] of parts.entries()) {
    path = join(path, part);
    const about = lstatSync(path, { throwIfNoEntry: false });
    const isLast = at === parts.length - 1;
    if (about === undefined) {
      if (isLast) mounts.set({ kind: name.endsWith('/') ? 'empty' : 'blank', path });
      return;
    }
    if (about.isSymbolicLink())
      throw new ToolError(
        'FAILED',
        `The sandbox cannot protect ${name}: expected no symbolic link, which a program could replace, found one at ${path}. Put a file or folder there, or leave ${name} out of the option protect.`,
      );
    if (!isLast && about.isDirectory()) continue;
    mounts.add('read', [path]);
    return;
  }
}

/** Shows the symbolic link through which a path was given. */
function showLink(mounts: Mounts, path: string): void {
  const source = realPath(path);
  if (source === undefined || source === path) return;
  // A home may be a link to the workspace: then it is no folder of its own.
  if (mounts.around(path)?.path === path) mounts.drop(path);
  const around = mounts.around(path);
  if (around === undefined) mounts.set({ kind: 'link', path, source });
  if (around?.kind !== 'write' || around.source === around.path) return;
  const place = join(around.source, relative(around.path, path));
  mkdirSync(dirname(place), { recursive: true });
  if (lstatSync(place, { throwIfNoEntry: false }) === undefined) symlinkSync(source, place);
}
