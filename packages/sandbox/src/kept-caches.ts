import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { removeFolder, USED, usedAt } from './private-folders.ts';

/** Folders of a home in which package managers keep what they have fetched and built. Each has a source of its own, beside the others. */
const CACHES = ['.cache', '.npm', '.cargo/registry', '.cargo/git', 'go/pkg', '.gradle', '.m2/repository'] as const;

/** The folder of caches beside the homes of conversations. */
const FOLDER = 'caches';
/** Milliseconds without a conversation after which caches are removed. */
const FORGOTTEN = 30 * 24 * 60 * 60_000;

/** A folder in a home, and the folder on this machine that lies there. */
export interface KeptCache {
  readonly path: string;
  readonly source: string;
}

/**
 * Makes the folders of caches of a workspace, and returns them by their paths in a home. Removes those of workspaces that are gone or had no
 * conversation for a month.
 *
 * They belong to one workspace, because programs inside can leave other programs in them: a conversation in the same workspace could leave these
 * in the workspace itself.
 */
export function keptCaches(directory: string, workspace: string, home: string): readonly KeptCache[] {
  const all = join(directory, FOLDER);
  const name = createHash('sha256').update(workspace).digest('hex').slice(0, 32);
  mkdirSync(join(all, name), { recursive: true, mode: 0o700 });
  const own = realpathSync(join(all, name));
  writeFileSync(join(own, USED), workspace);
  // the time of the file system, which the machines that share it have in common
  const now = usedAt(own) ?? 0;
  for (const other of readdirSync(all)) {
    const folder = join(all, other);
    const used = usedAt(folder);
    if (used !== undefined && (now - used > FORGOTTEN || isOfNone(folder))) void removeFolder(folder);
  }
  return CACHES.map((path) => {
    const source = join(own, path.replaceAll('/', '-'));
    mkdirSync(source, { recursive: true });
    return { path: join(home, path), source };
  });
}

/** True for the caches of a workspace that is no longer there. */
function isOfNone(folder: string): boolean {
  const workspace = readFileSync(join(folder, USED), 'utf8');
  return workspace !== '' && !existsSync(workspace);
}

/**
 * Makes the folders around caches in an own home, where they are mounted. Returns these folders, which have to be
 * mount points, too: a program could put a link in the place of such a folder, and the next start would make the caches where it leads.
 */
export function makePlaces(caches: readonly KeptCache[], home: string, own: string): readonly KeptCache[] {
  const folders = new Set(caches.map(({ path }) => dirname(path)).filter((path) => path !== home));
  return [...folders].map((path) => {
    const source = join(own, relative(home, path));
    mkdirSync(source, { recursive: true });
    return { path, source };
  });
}
