import { join } from 'node:path';
import type { ConversationPath } from './conversation-path.ts';
import type { Disk, SyncSite } from './disk.ts';
import { fenced } from './fenced.ts';
import { errorCode, ifThere } from './from-fs-error.ts';
import { createFresh, writeAll, writeFile } from './whole-file.ts';

const TEMPORARY = /\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;
/** The number of attempts. A late claimant can remove a temporary file once, so more removals mean a broken folder. */
const TRIES = 5;

/**
 * Replaces files of one owner in such a way that an owner that was taken over never puts an older file over a newer
 * one:
 *
 * ```text
 * owner      write under a name with its token ──► look at the fence ──► rename
 * successor  claim the next epoch (the fence) ──► sweep temporary files ──► read
 * ```
 *
 * Every look before the claim has one of two ends: the rename finds no file any more, or it came before the successor
 * reads.
 */
export class OwnFiles {
  readonly #disk: Disk;
  readonly #path: ConversationPath;
  readonly #token: string;
  readonly #isFenced: () => boolean;

  constructor(disk: Disk, path: ConversationPath, token: string, isFenced: () => boolean) {
    this.#disk = disk;
    this.#path = path;
    this.#token = token;
    this.#isFenced = isFenced;
  }

  /** Throws `FENCED` if this owner may not write the files any more. */
  assertOwned(): void {
    if (this.#isFenced()) throw fenced(this.#path);
  }

  /** Replaces a file as a whole. Nothing is synced. `beside`: the temporary file is beside this file. */
  replace(file: string, bytes: Uint8Array, beside: string = file): void {
    const temporary = this.#temporary(beside);
    for (let tried = 1; ; tried++) {
      writeFile(this.#disk, temporary, bytes);
      if (this.#name(temporary, file, tried)) return;
    }
  }

  /** Replaces a file durably: at every moment, even after a loss of power, it holds the old bytes or the new ones. */
  async replaceDurably(file: string, bytes: Uint8Array, site: SyncSite): Promise<void> {
    const temporary = this.#temporary(file);
    for (let tried = 1; ; tried++) {
      const open = createFresh(this.#disk, temporary);
      try {
        writeAll(this.#disk, open, bytes, 0);
        // The content is durable before it gets the name, so a loss of power cannot leave a torn file under it.
        await this.#disk.sync(open, site);
      } finally {
        this.#disk.close(open);
      }
      if (this.#name(temporary, file, tried)) return;
    }
  }

  /** Replaces a file and leaves the new file open. */
  replaceOpen(file: string, bytes: Uint8Array): number {
    const temporary = this.#temporary(file);
    for (let tried = 1; ; tried++) {
      const open = createFresh(this.#disk, temporary);
      try {
        writeAll(this.#disk, open, bytes, 0);
        if (this.#name(temporary, file, tried)) return open;
      } catch (error) {
        this.#disk.close(open);
        throw error;
      }
      this.#disk.close(open);
    }
  }

  /** Removes the temporary files of other owners. Call it after the fence, and before reading what they replace. */
  sweep(): void {
    for (const folder of [this.#path.folder, this.#path.log]) {
      for (const name of this.#disk.list(folder)) {
        if (!TEMPORARY.test(name) || name.endsWith(`${this.#token}.tmp`)) continue;
        ifThere(() => this.#disk.remove(join(folder, name)));
      }
    }
  }

  #temporary(file: string): string {
    return `${file}.${this.#token}.tmp`;
  }

  /** Renames the temporary file. Returns false if a claimant that is fenced itself took the temporary file away. */
  #name(temporary: string, file: string, tried: number): boolean {
    // The fence. A successor that claims after this look sweeps before it reads, see above.
    if (this.#isFenced()) {
      ifThere(() => this.#disk.remove(temporary));
      throw fenced(this.#path);
    }
    try {
      this.#disk.rename(temporary, file);
      return true;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      this.assertOwned();
      if (tried === TRIES) throw error;
      return false;
    }
  }
}
