import { dirname, join } from 'node:path';
import { errorText } from '@conv/core';
import { RegistryError } from '@conv/store-kit/registry';

import type { Disk } from '../disk/disk.ts';
import { errorCode, ifThere, isMissing } from '../disk/from-fs-error.ts';
import { makeIfMissing, makeStoreFolder } from '../disk/make-folder.ts';
import { createFresh, writeAll } from '../disk/whole-file.ts';

/** A version of a record. */
export interface EntryVersion {
  /** From 1. */
  readonly number: number;
  readonly path: string;
  readonly content: string;
}

/** Milliseconds for which a version is kept. */
const KEPT = 3_600_000;

/** Milliseconds within which a change must be written after the version before it was read. */
const LONGEST_CHANGE = KEPT / 4;

/** Codes of failures that another attempt does not end: a folder, a FIFO or a loop of links in place of a file, and missing rights. */
const LASTING: ReadonlySet<string> = new Set(['EISDIR', 'EINVAL', 'ENXIO', 'ELOOP', 'EACCES', 'EPERM']);

const FILE = /^(\d{12})\.record$/;
const DRAFT = 'draft-';

/** The content of a version that has a later one. */
const SUPERSEDED = 'superseded';

/**
 * The versions of records: a folder for each record, a file for each version, the highest number is the record. A new version is written
 * aside, synced, and gets its number with `link(2)`, which fails if another process was first. So a version is whole or not there, and
 * one of concurrent changes wins without a lock. A number must not become free while a slow process still believes that it follows its
 * version: every version is kept for an hour, and a change that took a quarter of it is not written. A superseded version keeps its number
 * and loses its content: if the later file is lost, the rights of a revoked key must not come back.
 */
export class EntryVersions {
  readonly #disk: Disk;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** Resolves with the newest version in a folder; `undefined` if there is none. Rejects `DAMAGED` if it is no file that can be read. */
  async newest(folder: string): Promise<EntryVersion | undefined> {
    let missing: number | undefined;
    for (;;) {
      try {
        const number = this.#numbers(folder).at(-1);
        if (number === undefined) return undefined;
        const path = fileOf(folder, number);
        const isGone = missing === number;
        missing = number;
        if (isGone) throw unreadable(folder, new Error(`${path} leads nowhere, or the version after it is lost`));
        const content = Buffer.from(await this.#disk.readFile(path)).toString();
        if (content !== SUPERSEDED) return { number, path, content };
      } catch (error) {
        if (LASTING.has(errorCode(error) ?? '')) throw unreadable(folder, error);
        // superseded an hour ago and removed just now: there is a newer one
        if (!isMissing(error)) throw error;
      }
    }
  }

  /** Returns a text that differs once a folder has another newest version, or its file was changed. Reads no file. */
  markOf(folder: string): string {
    try {
      const number = this.#numbers(folder).at(-1);
      const modified = number === undefined ? undefined : this.#disk.stat(fileOf(folder, number))?.modified;
      return `${number} ${modified}`;
    } catch (error) {
      if (!LASTING.has(errorCode(error) ?? '') && !isMissing(error) && errorCode(error) !== 'ENOTDIR') throw error;
      return 'unreadable';
    }
  }

  /** Writes the version after this one, which was read just before. Resolves with true when it is durable, and with false if another process was first. */
  async write(
    folder: string,
    { after, content }: { readonly after: EntryVersion | undefined; readonly content: string },
  ): Promise<boolean> {
    const disk = this.#disk;
    const begun = disk.platform.monotonic();
    if (!after) {
      await makeStoreFolder(disk, dirname(folder));
      makeIfMissing(disk, folder);
      await disk.syncFolder(dirname(folder), 'registry name');
    }
    const draft = join(folder, DRAFT + disk.platform.id());
    try {
      await this.#writeDraft(draft, content);
      if (disk.platform.monotonic() - begun > LONGEST_CHANGE)
        throw new RegistryError('UNAVAILABLE', `${folder}: expected a change within minutes; read the record again`);
      if (!this.#link(draft, fileOf(folder, (after?.number ?? 0) + 1))) return false;
    } finally {
      ifThere(() => disk.remove(draft));
    }
    await disk.syncFolder(folder, 'registry version');
    if (after) this.#supersede(after);
    this.#tidy(folder);
    return true;
  }

  /** Takes the content of a version away. A failure leaves it: the change is durable, and only a lost file would show it. */
  #supersede({ path }: EntryVersion): void {
    const disk = this.#disk;
    const draft = join(dirname(path), DRAFT + disk.platform.id());
    try {
      const file = createFresh(disk, draft);
      try {
        writeAll(disk, file, Buffer.from(SUPERSEDED), 0);
      } finally {
        disk.close(file);
      }
      disk.rename(draft, path);
    } catch {
      ifThere(() => disk.remove(draft));
    }
  }

  async #writeDraft(draft: string, content: string): Promise<void> {
    const disk = this.#disk;
    const file = createFresh(disk, draft);
    try {
      writeAll(disk, file, Buffer.from(content), 0);
      await disk.sync(file, 'registry value');
    } finally {
      disk.close(file);
    }
  }

  #link(draft: string, path: string): boolean {
    try {
      this.#disk.link(draft, path);
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;
      throw error;
    }
  }

  /** Removes superseded versions, and drafts of processes that ended, after an hour. A failure leaves them to the next change. */
  #tidy(folder: string): void {
    const disk = this.#disk;
    const newest = this.#numbers(folder).at(-1) ?? 0;
    const old = disk.platform.now() - KEPT;
    for (const name of disk.list(folder)) {
      const number = numberOf(name);
      if (number === undefined ? !name.startsWith(DRAFT) : number >= newest) continue;
      const path = join(folder, name);
      if ((disk.stat(path)?.modified ?? Infinity) < old) ifThere(() => disk.remove(path));
    }
  }

  #numbers(folder: string): readonly number[] {
    const names = ifThere(() => this.#disk.list(folder)) ?? [];
    return names
      .map(numberOf)
      .filter((number) => number !== undefined)
      .toSorted((one, other) => one - other);
  }
}

function unreadable(folder: string, cause: unknown): RegistryError {
  return new RegistryError(
    'DAMAGED',
    `${folder}: expected files that can be read: ${errorText(cause)}; remove the folder, and store the record again`,
    { cause },
  );
}

function fileOf(folder: string, number: number): string {
  return join(folder, `${String(number).padStart(12, '0')}.record`);
}

function numberOf(name: string): number | undefined {
  const digits = FILE.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
