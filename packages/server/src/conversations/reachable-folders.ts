import { readdir, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Turns } from '@conv/core/platform';

import type { Caller } from '../auth/principal.ts';
import { isInside, realPath } from '../workspace/allowed-folders.ts';
import type { KnownConversations } from './known-conversations.ts';

/**
 * Finds the folders that a limited caller reaches: the folders that its key names, and those of the conversations that it may know. Such a caller
 * would otherwise reach any folder of the machine, because it chooses the folders of the conversations that it starts.
 */
export class ReachableFolders {
  readonly #known: KnownConversations;
  readonly #worktrees: string;
  readonly #starts = new Turns();

  /** @param worktrees the folder of worktrees, whose path may lead through a link */
  constructor(known: KnownConversations, worktrees: string) {
    this.#known = known;
    this.#worktrees = worktrees;
  }

  /** Resolves with the real paths of the folders; `undefined` for a caller without limits, which reaches all. */
  async of(caller: Caller): Promise<readonly string[] | undefined> {
    if (!caller.limits) return undefined;
    const found = new Set(await this.#named(caller));
    for await (const { folder, isKnown } of this.#known.folders(caller))
      if (isKnown) found.add(await this.placeOf(folder));
    return [...found];
  }

  /** True if a caller reaches a folder, given by its real path, with all that is in it. */
  async reaches(caller: Caller, folder: string): Promise<boolean> {
    const reached = await this.of(caller);
    return reached === undefined || reached.some((one) => isInside(folder, one));
  }

  /**
   * True if a caller may start a conversation in a folder, given by its real path: in each that it reaches, and, with a key that names no
   * folders, in a new or empty folder apart from the conversations of others, with no hidden folder on its path.
   */
  async mayStartIn(caller: Caller, folder: string): Promise<boolean> {
    if (!caller.limits) return true;
    if ((await this.#named(caller)).some((one) => isInside(folder, one))) return true;
    let isForeign = false;
    for await (const { folder: other, isKnown } of this.#known.folders(caller)) {
      const place = await this.placeOf(other);
      if (isKnown && isInside(folder, place)) return true;
      isForeign ||= !isKnown && (isInside(folder, place) || isInside(place, folder));
    }
    return caller.limits.folders === undefined && !isForeign && !isHidden(folder) && (await isEmpty(folder));
  }

  /**
   * Runs the start of a conversation: the check of its folder, and all until the conversation is stored. Limited callers start one after the
   * other, because two that find the same folder new would reach each other's files.
   */
  start<Value>(caller: Caller, work: () => Promise<Value>): Promise<Value> {
    return caller.limits ? this.#starts.run(work) : work();
  }

  /** Resolves with the path at which the folder of a conversation was made. No link is followed but on the way to all worktrees. */
  async placeOf(folder: string): Promise<string> {
    if (!isInside(folder, this.#worktrees)) return folder;
    return join(await realPath(this.#worktrees), relative(this.#worktrees, folder));
  }

  async #named({ limits }: Caller): Promise<readonly string[]> {
    return Promise.all((limits?.folders ?? []).map((folder) => realpath(folder).catch(() => folder)));
  }
}

/** True for a folder such as `~/.ssh` or `~/.config/autostart`: programs of the server's user act on what a conversation would write there. */
function isHidden(folder: string): boolean {
  return folder.split(sep).some((name) => name.startsWith('.'));
}

/** True if nothing is in the place of a folder, or an empty folder: an earlier try of the same request may have made it. */
async function isEmpty(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length === 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
