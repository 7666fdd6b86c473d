import type { ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { errorCode } from '../disk/from-fs-error.ts';
import { encodeOwner, type OwnerRecord } from '../log/owner-file.ts';
import type { OwnFiles } from '../disk/own-files.ts';

/**
 * The heartbeat of an owner: `owner.json`, overwritten in place at each acknowledgement, which costs one small write. A successor
 * puts a new file in its place, so the owner before it writes to a file without a name.
 */
export class OwnerHeartbeat {
  readonly #disk: Disk;
  readonly #path: ConversationPath;
  readonly #files: OwnFiles;
  #record: OwnerRecord;
  #file: number | undefined;
  #inode: number | undefined;

  constructor(disk: Disk, path: ConversationPath, files: OwnFiles, record: OwnerRecord) {
    this.#disk = disk;
    this.#path = path;
    this.#files = files;
    this.#record = record;
  }

  get record(): OwnerRecord {
    return this.#record;
  }

  /** Replaces the record of another owner. */
  raise(): void {
    this.close();
    this.#file = this.#files.replaceOpen(this.#path.owner, encodeOwner(this.#record));
    this.#inode = this.#disk.stat(this.#path.owner)?.inode;
  }

  update(change: Partial<OwnerRecord>): void {
    this.#record = { ...this.#record, ...change, renewedAt: this.#disk.platform.now() };
    if (this.#file === undefined) return;
    try {
      this.#disk.write(this.#file, encodeOwner(this.#record), 0);
    } catch (error) {
      // No promise rests on the record; a full disk must not fail an append that is durable.
      if (errorCode(error) === undefined) throw error;
    }
  }

  /** Gives a heartbeat. Restores the record if a claimant that gave up has replaced it. */
  renew(): void {
    if (this.#disk.stat(this.#path.owner)?.inode === this.#inode) this.update({});
    else this.raise();
  }

  close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) this.#disk.close(file);
  }
}
