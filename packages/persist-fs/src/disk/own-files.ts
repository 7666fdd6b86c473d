import { join } from 'node:path';
import type { ConversationPath } from './conversation-path.ts';
import type { Disk, SyncSite } from './disk.ts';
import { fenced } from './fenced.ts';
import { errorCode, ifThere } from './from-fs-error.ts';
import { createFresh, writeAll, writeFile } from './whole-file.ts';

const TEMPORARY = /\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;
/** A temporary file can be taken away once by each claimant that comes too late; more of them than this are a broken folder. */
const TRIES = 5;

/**
 * Puts files of one owner in place of others, so that an owner that was taken over from never puts an older one over a newer.
 * The content is written under a name with the owner's token; then the fence is looked at; then it gets its name. A successor
 * removes the temporary files of others once it has fenced them: whoever looked before that finds nothing to name any more, or
 * has named it before the successor reads what is there.
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

  /** Throws `FENCED` when the files are not ours to write any more. */
  assertOwned(): void {
    if (this.#isFenced()) throw fenced(this.#path);
  }

  /** Replaces a file as a whole. Nothing is synced. `beside`: where the temporary file is, when not beside the file itself. */
  replace(file: string, bytes: Uint8Array, beside: string = file): void {
    const temporary = this.#temporary(beside);
    for (let tried = 1; ; tried++) {
      writeFile(this.#disk, temporary, bytes);
      if (this.#name(temporary, file, tried)) return;
    }
  }

  /** The same, durably: at every moment, also after a loss of power, the file holds the old bytes or the new ones. */
  async replaceDurably(file: string, bytes: Uint8Array, site: SyncSite): Promise<void> {
    const temporary = this.#temporary(file);
    for (let tried = 1; ; tried++) {
      const open = createFresh(this.#disk, temporary);
      try {
        writeAll(this.#disk, open, bytes, 0);
        await this.#disk.sync(open, site);
      } finally {
        this.#disk.close(open);
      }
      if (this.#name(temporary, file, tried)) return;
    }
  }

  /** Replaces a file by one that stays open. */
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

  /** Removes the temporary files of others. Call it behind the fence, and before reading what they may have replaced. */
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

  /** `false`: a claimant that is fenced itself took the temporary file away. */
  #name(temporary: string, file: string, tried: number): boolean {
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
