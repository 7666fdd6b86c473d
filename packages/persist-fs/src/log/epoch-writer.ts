import { epochPath, type ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { encodeEpochStart, type EpochStart, type FoundEpoch } from './epoch-file.ts';
import { errorCode } from '../disk/from-fs-error.ts';
import { together } from '../disk/together.ts';
import { writeAll } from '../disk/whole-file.ts';

/**
 * The file of an epoch that this process has claimed. Creating the file is the claim, which one process alone can do.
 * From then on no older owner acknowledges a commit, because each owner looks for the next file between its flush and
 * its acknowledgement.
 */
export class EpochWriter {
  readonly epoch: number;
  /** Everything before this offset is durable and acknowledged. */
  durable = 0;
  readonly #disk: Disk;
  readonly #path: ConversationPath;
  readonly #file: number;
  readonly inode: number | undefined;
  readonly #own: string;
  readonly #next: string;
  #end = 0;
  #beginning: FoundEpoch | undefined;

  private constructor(disk: Disk, path: ConversationPath, epoch: number, file: number) {
    this.epoch = epoch;
    this.#disk = disk;
    this.#path = path;
    this.#file = file;
    this.#own = epochPath(path, epoch);
    this.#next = epochPath(path, epoch + 1);
    this.inode = disk.stat(this.#own)?.inode;
  }

  /** Claims an epoch. Returns `undefined` if another process was first. */
  static claim(disk: Disk, path: ConversationPath, epoch: number): EpochWriter | undefined {
    let file: number;
    try {
      file = disk.open(epochPath(path, epoch), 'create');
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return undefined;
      throw error;
    }
    try {
      return new EpochWriter(disk, path, epoch, file);
    } catch (error) {
      disk.close(file);
      throw error;
    }
  }

  /** The offset of the next frame. */
  get end(): number {
    return this.#end;
  }

  /** The beginning of the file as a reader finds it. Throws before {@link EpochWriter.begin} has resolved. */
  get beginning(): FoundEpoch {
    if (!this.#beginning) throw new Error(`epoch ${this.epoch} has not begun`);
    return this.#beginning;
  }

  /**
   * Writes the beginning of the file and makes it and its name durable. Only then may commits follow: commits without a
   * beginning could not be told from damage. From here on nothing counts that stands after the seal of the file
   * before, however much of it reached the device.
   */
  async begin(start: EpochStart): Promise<void> {
    const bytes = encodeEpochStart(start);
    writeAll(this.#disk, this.#file, bytes, 0);
    this.#end = bytes.length;
    await together([this.#disk.sync(this.#file, 'header'), this.#disk.syncFolder(this.#path.log, 'log folder')]);
    this.durable = bytes.length;
    this.#beginning = { epoch: this.epoch, body: bytes.length, start };
  }

  /** Writes at the end. Returns how many bytes were written and, if not all were, why. */
  write(bytes: Uint8Array): { readonly written: number; readonly failure?: unknown } {
    let written = 0;
    try {
      while (written < bytes.length) {
        const count = this.#disk.write(this.#file, bytes.subarray(written), this.#end + written);
        if (count === 0) break;
        written += count;
      }
      return { written };
    } catch (failure) {
      return { written, failure };
    } finally {
      this.#end += written;
    }
  }

  /** Makes everything written durable. */
  sync(site: 'group' | 'fork log', mayBlock?: boolean): Promise<void> {
    return this.#disk.sync(this.#file, site, mayBlock);
  }

  /**
   * The fence: returns true if another process has taken over, or the conversation was deleted or replaced under this
   * owner. Throws if the file system gives no answer.
   */
  isFenced(): boolean {
    if (this.#disk.stat(this.#next)) return true;
    const found = this.#disk.stat(this.#own);
    return !found || found.inode !== this.inode;
  }

  close(): void {
    this.#disk.close(this.#file);
  }
}
