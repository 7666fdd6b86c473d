import type { StateFields } from '@conv/core';
import { StoreError } from '@conv/core/store';
import { isoNow } from '@conv/core/platform';
import { flushPace, type BodyAppend, type CommitNumbers } from '@conv/store-kit';
import { encodeCommit } from './commit-frame.ts';
import type { ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import type { FoundEpoch } from './epoch-file.ts';
import { EpochWriter } from './epoch-writer.ts';
import { fenced } from '../disk/fenced.ts';
import { fromFsError, noSpace } from '../disk/from-fs-error.ts';
import { giveBack } from '../disk/give-back.ts';

/** A commit on its way to the disk. The state after it is `undefined` if only the log can tell. */
export type PendingAppend = BodyAppend<StateFields | undefined>;

/** A commit that is durable and acknowledged, and where its frame is. */
export interface StoredCommit extends CommitNumbers {
  readonly pending: PendingAppend;
  readonly offset: number;
  readonly length: number;
}

/** The result of a group: its first commits are stored. If not all are stored, `failure` says why. */
export interface StoredGroup {
  readonly stored: readonly StoredCommit[];
  readonly failure: StoreError | undefined;
}

/**
 * Appends to the log of one owner. After every error of the disk it continues in a new epoch, because the contents of the
 * old file are not known then.
 *
 * ```text
 * write ──► flush ──► fence ──► part of the log      taken over: FENCED
 *   │         └── error: seal this epoch at `durable`, continue in the next, reject
 *   ├── error: the same, unless the disk says that it takes no bytes
 *   └── short write: the next group begins a new epoch
 * ```
 */
export class LogWriter {
  readonly #disk: Disk;
  readonly #path: ConversationPath;
  readonly #owner: string;
  #writer: EpochWriter;
  /** The next epoch, claimed and not yet begun. */
  #claimed: EpochWriter | undefined;
  /** True if the file holds bytes after its durable end that no commit will follow. */
  #dirty = false;
  #othersWait = false;
  #seq: number;
  #event: number;

  constructor(
    disk: Disk,
    path: ConversationPath,
    owner: string,
    writer: EpochWriter,
    end: { seq: number; event: number },
  ) {
    this.#disk = disk;
    this.#path = path;
    this.#owner = owner;
    this.#writer = writer;
    this.#seq = end.seq;
    this.#event = end.event;
  }

  get epoch(): number {
    return this.#writer.epoch;
  }

  /** The newest epoch that this owner has claimed, perhaps not begun yet: an epoch after it is a successor's. */
  get lastEpoch(): number {
    return (this.#claimed ?? this.#writer).epoch;
  }

  /** The beginning of the file of `epoch`, without a look at the disk. */
  get beginning(): FoundEpoch {
    return this.#writer.beginning;
  }

  /** The inode of the file of `epoch`, which tells it from a copy. */
  get inode(): number | undefined {
    return this.#writer.inode;
  }

  /** The end of what is durable and acknowledged in the file of `epoch`. */
  get durable(): number {
    return this.#writer.durable;
  }

  /** The numbers that the next commit and its first event get. */
  get end(): { readonly seq: number; readonly event: number } {
    return { seq: this.#seq, event: this.#event };
  }

  /** True if flushes have held up the rest of the process for a while. */
  get othersWait(): boolean {
    return this.#othersWait;
  }

  /** Returns true if another process owns the log now. */
  isFenced(): boolean {
    return (this.#claimed ?? this.#writer).isFenced();
  }

  /**
   * Writes and flushes a group, and looks for a newer owner after the flush. An owner that claims after this look reads
   * what was flushed, so the group may be acknowledged. Rejects `FENCED`, or with the error that kept every commit of
   * the group from being stored. `alone`: the group is one commit, and no other is waiting.
   */
  async store(group: readonly PendingAppend[], alone: boolean): Promise<StoredGroup> {
    if (this.#dirty) await this.#continue();
    const writer = this.#writer;
    const { placed, bytes } = this.#place(group);
    const { written, failure } = writer.write(bytes);
    if (written > 0 && written < bytes.length) this.#dirty = true;
    const stored = placed.filter(({ offset, length }) => offset + length <= writer.end);
    if (stored.length > 0) await this.#flush(stored, alone);
    if (stored.length === placed.length) return { stored, failure: undefined };
    return { stored, failure: await this.#failureOfWrite(failure) };
  }

  close(): void {
    giveBack(
      () => this.#claimed?.close(),
      () => this.#writer.close(),
    );
  }

  #place(group: readonly PendingAppend[]): { placed: StoredCommit[]; bytes: Buffer } {
    const { epoch, durable } = this.#writer;
    let offset = this.#writer.end;
    let seq = this.#seq;
    let firstEvent = this.#event;
    const frames: Buffer[] = [];
    const placed = group.map((pending) => {
      const frame = encodeCommit(pending.body, { seq, epoch, firstEvent }, durable);
      const commit: StoredCommit = { pending, seq, epoch, firstEvent, offset, length: frame.length };
      frames.push(frame);
      offset += frame.length;
      seq++;
      firstEvent += pending.body.events.length;
      return commit;
    });
    return { placed, bytes: frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames) };
  }

  /**
   * Resolves with the reason why not all bytes of a group were written. A disk that is full or read-only has taken none of the
   * rest. After every other error the disk may still write them later, so the epoch is sealed before the rest is reported as not
   * stored.
   */
  async #failureOfWrite(error: unknown): Promise<StoreError> {
    const subject = `conversation ${this.#path.id}`;
    if (error === undefined) return noSpace(subject);
    const failure = fromFsError(error, subject);
    if (failure.code !== 'UNAVAILABLE') return failure;
    this.#dirty = true;
    return this.#settleFailed(error, 'write');
  }

  async #flush(stored: readonly StoredCommit[], alone: boolean): Promise<void> {
    const writer = this.#writer;
    const last = stored.at(-1) as StoredCommit;
    const start = this.#disk.platform.monotonic();
    let isFenced: boolean;
    const mayBlock = alone && flushPace.mayBlock(this, start);
    try {
      await writer.sync('group', mayBlock);
      this.#othersWait = flushPace.flushed(this, start, this.#disk.platform.monotonic(), mayBlock);
      // The fence, after the flush and before the acknowledgement. A look that fails proves no ownership: like a failed
      // flush it must keep the bytes from counting, or the next commit would have their numbers.
      isFenced = writer.isFenced();
    } catch (error) {
      this.#dirty = true;
      throw await this.#settleFailed(error, 'flush');
    }
    if (isFenced) throw fenced(this.#path);
    // Durable and still ours: the commits are part of the log, and every later owner reads them.
    writer.durable = last.offset + last.length;
    this.#seq = last.seq + 1;
    this.#event = last.firstEvent + last.pending.body.events.length;
  }

  /**
   * Seals the epoch after a failed write or flush at what was durable before: the page cache may show bytes that the device does not
   * have, and the device may get bytes that no reader sees yet. Resolves with the error to reject with.
   */
  async #settleFailed(error: unknown, what: 'write' | 'flush'): Promise<StoreError> {
    const subject = `conversation ${this.#path.id}`;
    try {
      await this.#continue();
      return fromFsError(error, subject);
    } catch (second) {
      const failure = fromFsError(second, subject);
      if (failure.code === 'FENCED') return failure;
      return new StoreError(
        'OUTCOME_UNKNOWN',
        `${subject}: a ${what} failed, and so did ending the log before it; open it again to see what is stored`,
        {
          cause: error,
        },
      );
    }
  }

  /** Continues in the next epoch, which seals this one at its durable end. */
  async #continue(): Promise<void> {
    const { epoch, durable } = this.#writer;
    this.#claimed ??= EpochWriter.claim(this.#disk, this.#path, epoch + 1);
    if (!this.#claimed) throw fenced(this.#path);
    const claimed = this.#claimed;
    const createdAt = isoNow(this.#disk.platform);
    // A claim whose beginning fails is kept: the next call begins the same file again.
    await claimed.begin({
      epoch: claimed.epoch,
      prev: epoch,
      sealedAt: durable,
      ...this.end,
      owner: this.#owner,
      createdAt,
    });
    // The fence: another process may have claimed the epoch after this one while its seal was written.
    if (claimed.isFenced()) throw fenced(this.#path);
    this.#writer.close();
    this.#writer = claimed;
    this.#claimed = undefined;
    this.#dirty = false;
  }
}
