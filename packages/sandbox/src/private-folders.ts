import { mkdirSync, mkdtempSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { chmod, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { lifeOfMark, processMark } from '@conv/store-kit/system';

const NAME = /^([0-9a-f]{8}-\d+-\d*)-\w{6}$/;

/** The file whose time says when a program was last started with the folders beside it. */
export const USED = 'used';

/** Milliseconds without a start after which the folders of a process of which nothing is known count as left. */
const FORGOTTEN = 30 * 24 * 60 * 60_000;

/** Milliseconds for which a record of a start stands for later ones. */
const RECORDED = 60_000;

/** A home and a folder for temporary files that only the programs of one conversation see. */
export class PrivateFolders {
  readonly home: string;
  readonly temporary: string;
  /** The path of a file that programs do not see. */
  readonly filter: string;
  readonly #root: string;
  /** The time of the last record. */
  #noted = -Infinity;

  /**
   * Makes them in `directory`, and removes those of processes that were killed. Folders of other machines, which may share the directory,
   * and of other containers are removed when no program was started with them for a month.
   */
  constructor(directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#root = realpathSync(mkdtempSync(join(directory, `${processMark()}-`)));
    this.home = join(this.#root, 'home');
    this.temporary = join(this.#root, 'tmp');
    this.filter = join(this.#root, 'filter');
    mkdirSync(this.home);
    mkdirSync(this.temporary);
    makeUsed(this.#root);
    // the time of the file system, which the machines that share it have in common
    const now = usedAt(this.#root) ?? 0;
    for (const name of readdirSync(directory)) {
      const folder = join(directory, name);
      if (NAME.test(name) && isLeft(folder, name, now)) void removeFolder(folder);
    }
  }

  /** Records that a program is started with these folders, without waiting for the disk. `now`: milliseconds of a clock that never goes back. */
  use(now: number): void {
    // each start would write otherwise, and what is recorded counts for a month
    if (now - this.#noted < RECORDED) return;
    this.#noted = now;
    // Ignore a failure: a month is long, and a full disk keeps no program from starting.
    writeFile(join(this.#root, USED), ' ', { flag: 'r+' }).catch(() => undefined);
  }

  remove(): Promise<void> {
    return removeFolder(this.#root);
  }
}

function makeUsed(folder: string): void {
  try {
    writeFileSync(join(folder, USED), ' ');
  } catch {
    // Ignore the failure: a full disk keeps no program from starting.
  }
}

function isLeft(folder: string, name: string, now: number): boolean {
  const life = lifeOfMark(NAME.exec(name)?.[1] ?? '');
  if (life !== 'unknown') return life === 'dead';
  const used = usedAt(folder);
  return used !== undefined && now - used > FORGOTTEN;
}

/** Returns when a program was last started with the folders in `folder`; `undefined` if nothing says it. */
export function usedAt(folder: string): number | undefined {
  return statSync(join(folder, USED), { throwIfNoEntry: false })?.mtimeMs;
}

/** Removes a folder. Files that cannot be removed stay, and a later process tries again. */
export async function removeFolder(folder: string): Promise<void> {
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 2 });
  try {
    await remove().catch(() => giveRights(folder).then(remove));
  } catch {
    // Ignore the failure: no program uses these files.
  }
}

/** Lets this process remove everything in a folder. Programs take rights away from folders of their own, as go does in its cache. */
async function giveRights(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await giveRights(join(folder, entry.name));
}
