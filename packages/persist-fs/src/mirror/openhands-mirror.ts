import { createHash } from 'node:crypto';
import type { JsonObject, StateFields } from '@conv/core';
import { isSameJson, type Platform } from '@conv/core/platform';
import { eventFileName, isFallbackHead, isFileId } from '@conv/openhands/folder';
import type { ConversationPath } from '../disk/conversation-path.ts';
import type { Disk, DiskStat } from '../disk/disk.ts';
import { keepCopy, setAside } from './foreign-events.ts';
import { errorCode, ifThere } from '../disk/from-fs-error.ts';
import { obstacleKind } from './obstacles.ts';
import type { OwnFiles } from '../disk/own-files.ts';
import { baseStateText, metaCrc, metaText } from './mirror-state.ts';
import { readFile, writeAll } from '../disk/whole-file.ts';

/** An event as it goes into its file. */
export interface MirrorEvent {
  readonly index: number;
  readonly id: string;
  readonly kind: string;
  /** JSON. */
  readonly text: string;
}

/** The state that the files show: after the commits before `seq`. */
export interface MirroredState {
  readonly fields: StateFields;
  readonly seq: number;
  readonly epoch: number;
  readonly updatedAt: string;
}

/** The way in which `base_state.json` is written. */
export interface StateWriting {
  /**
   * `auto`: HEAD is named if a reader would not find it from the event files, which are all there. `none`: HEAD is not
   * named. `moved`: HEAD was moved to an event that is there. `lagging`: event files are still missing, so HEAD may be
   * one of them.
   */
  readonly head: 'auto' | 'none' | 'moved' | 'lagging';
  /** True if the new file must be in place even after a loss of power. */
  readonly durable: boolean;
}

const FILES_PER_TURN = 64;

/**
 * The files that OpenHands reads: state, meta, and one file for each event. They follow the log, and this package rarely reads
 * them.
 */
export class OpenHandsMirror {
  readonly platform: Platform;
  /** The files of all events before this one are there. */
  events: number;
  readonly #disk: Disk;
  readonly #path: ConversationPath;
  readonly #files: OwnFiles;
  /** The HEAD that `base_state.json` names; `null` if a reader has to find it. */
  #namedHead: string | null;
  /** The event that a reader takes for HEAD if none is named. */
  #fallback: string | null;
  /** Hash of `meta.json` as we left it. The text itself takes two kilobytes for each open conversation. */
  #metaHash = '';
  /** `base_state.json` as we left it. */
  #written: DiskStat | undefined;
  readonly #foreign: (reason: string) => void;

  constructor(
    disk: Disk,
    path: ConversationPath,
    files: OwnFiles,
    at: { events: number; namedHead: string | null; fallback: string | null },
    foreign: (reason: string) => void,
  ) {
    this.#disk = disk;
    this.platform = disk.platform;
    this.#path = path;
    this.#files = files;
    this.events = at.events;
    this.#namedHead = at.namedHead;
    this.#fallback = at.fallback;
    this.#foreign = foreign;
  }

  /**
   * Writes the files of `events`, which follow the files that are there. A HEAD in `base_state.json` that these events
   * leave behind is taken out first, because OpenHands would continue from it. `pause` is called now and then, and says
   * whether to continue.
   */
  async addEvents(events: readonly MirrorEvent[], state: MirroredState, pause: () => Promise<boolean>): Promise<void> {
    if (this.#namedHead !== null && this.#namedHead !== state.fields.leafEventId) {
      await this.writeState(state, { head: 'none', durable: true });
    }
    for (const [count, event] of events.entries()) {
      if (event.index < this.events) continue;
      await this.writeEvent(event);
      this.events = event.index + 1;
      if (isFallbackHead(event)) this.#fallback = event.id;
      if (count % FILES_PER_TURN === FILES_PER_TURN - 1 && !(await pause())) return;
    }
  }

  /** Writes the file of an event, also over other content that a loss of power or another program left. */
  async writeEvent(event: MirrorEvent): Promise<void> {
    this.#removeCount(event.index);
    try {
      await this.#disk.createFile(this.#eventPath(event), Buffer.from(event.text));
    } catch (error) {
      this.#replaceEvent(event, error);
    }
  }

  /** Writes the file of an event at once, unless it exists with the same content, as most checked files do. */
  repairEventNow(event: MirrorEvent): void {
    const bytes = this.#foundEvent(this.#eventPath(event));
    if (bytes && saysTheSame(bytes, event.text)) this.#removeCount(event.index);
    else this.writeEventNow(event);
  }

  /** Writes the file of an event at once. Takes half the time, but holds up the process. */
  writeEventNow(event: MirrorEvent): void {
    this.#removeCount(event.index);
    try {
      const file = this.#disk.open(this.#eventPath(event), 'create');
      try {
        writeAll(this.#disk, file, Buffer.from(event.text), 0);
      } finally {
        this.#disk.close(file);
      }
    } catch (error) {
      this.#replaceEvent(event, error);
    }
  }

  /**
   * Removes the file in which an SDK of OpenHands, from 1.45 on, keeps the number of events. While it is there, that SDK appends
   * without counting the files, and would give its event the number of ours. It counts them when the file is missing. The count
   * is removed before our file is written, so that a crash between the two leaves no wrong count.
   */
  #removeCount(count: number): void {
    const path = `${this.#path.events}/.eventlog-len-${count}.marker`;
    // A look costs a quarter of a removal that fails, and there is nearly never a count.
    if (this.#disk.stat(path)) ifThere(() => this.#disk.remove(path));
  }

  #eventPath({ index, id }: MirrorEvent): string {
    return `${this.#path.events}/${mirrorName(index, id)}`;
  }

  #replaceEvent(event: MirrorEvent, error: unknown): void {
    if (errorCode(error) !== 'EEXIST') throw error;
    const path = this.#eventPath(event);
    const bytes = this.#foundEvent(path);
    if (bytes && saysTheSame(bytes, event.text)) return;
    // A file does not replace a folder, so the folder is set aside; so is a link that leads nowhere.
    if (!bytes) setAside(this.#disk, this.#path, path);
    // The temporary file is elsewhere, because OpenHands counts the files in that folder.
    this.#files.replace(path, Buffer.from(event.text), `${this.#path.log}/event`);
  }

  /** The bytes of the file of an event; `undefined` if it is not there, or something else is. */
  #foundEvent(path: string): Buffer | undefined {
    return obstacleKind(this.#disk, path) === undefined ? ifThere(() => readFile(this.#disk, path)) : undefined;
  }

  /** Writes `base_state.json` and, if its contents have changed, `meta.json`; each as a whole. */
  async writeState(state: MirroredState, { head, durable }: StateWriting): Promise<void> {
    const { fields, updatedAt } = state;
    const named = this.#headToName(fields.leafEventId, head);
    const meta = metaText(fields, '');
    const metaMark = metaCrc(JSON.parse(meta) as JsonObject);
    // The fence, before a foreign file is kept. `OwnFiles` looks again before each rename.
    this.#files.assertOwned();
    this.#keepForeign();
    // `meta.json` goes first, because the mark in `base_state.json` vouches for it.
    const hash = createHash('sha256').update(meta).digest('base64');
    if (hash !== this.#metaHash) {
      await this.#files.replaceDurably(this.#path.meta, Buffer.from(metaText(fields, updatedAt)), 'mirror meta');
      this.#metaHash = hash;
    }
    const mark = { epoch: state.epoch, seq: state.seq, updatedAt, meta: metaMark };
    await this.#files.replaceDurably(
      this.#path.baseState,
      Buffer.from(baseStateText(fields, mark, named === null)),
      'mirror state',
    );
    if (durable) await this.#disk.syncFolder(this.#path.folder, 'mirror folder');
    this.#namedHead = named;
    this.#written = this.#disk.stat(this.#path.baseState);
  }

  #headToName(leaf: string | null, head: StateWriting['head']): string | null {
    if (head === 'none') return null;
    if (head === 'moved') return leaf;
    if (head === 'lagging') return leaf === this.#namedHead ? leaf : null;
    return leaf === this.#fallback ? null : leaf;
  }

  /** Keeps aside a state that another program saved over ours without a lease; ours holds (decision 12). */
  #keepForeign(): void {
    const found = this.#disk.stat(this.#path.baseState);
    const { inode, modified, size } = this.#written ?? {};
    if (!found || !this.#written || (found.inode === inode && found.modified === modified && found.size === size))
      return;
    // Copies the file and leaves it in place, because it may be a successor's.
    keepCopy(this.#disk, this.#path, this.#path.baseState);
    this.#foreign('base_state.json was saved by another program while it was ours; its file is in .conv/foreign');
  }
}

/**
 * The name of an event's file. An id that OpenHands would not find in a name, or that would lead out of the folder, is replaced
 * by a hash: OpenHands takes the id from the content.
 */
export function mirrorName(index: number, id: string): string {
  return eventFileName(index, isFileId(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 32));
}

/** True if both texts are the same JSON: a file in OpenHands' words, such as `1.0` for 1, stays as it is. */
export function saysTheSame(bytes: Buffer, text: string): boolean {
  const found = bytes.toString();
  if (found === text) return true;
  try {
    return isSameJson(JSON.parse(found), JSON.parse(text));
  } catch {
    return false;
  }
}
