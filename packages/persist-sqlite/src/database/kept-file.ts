import {
  appendFileSync,
  closeSync,
  existsSync,
  fdatasyncSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { crc32 } from 'node:zlib';
import type { EndMark } from './end-mark.ts';
import { isKept } from './kept-text.ts';

/** Copy of the settings of a conversation, and the acknowledged end of its log when they were set. */
export interface KeptLine {
  readonly mark: EndMark;
  readonly kept: string;
}

/**
 * Keeps copies of settings beside a database, in `-kept`: a line for each change, with a check value. SQLite may drop a damaged
 * log with both the commit and the copy in its row. A line also proves that its commit existed when the mark of the conversation
 * is damaged (docs/decisions/0065-copies-of-settings-prove-an-end.md).
 */
export class KeptFile {
  readonly #file: string;

  constructor(database: string) {
    this.#file = `${database}-kept`;
  }

  /** Adds a copy. Skips a failed write; the earlier copy stays. */
  add({ mark: { key, id, epoch, event }, kept }: KeptLine): void {
    try {
      appendFileSync(this.#file, lineOf(`${key} ${id} ${epoch} ${event} ${kept}`), { mode: 0o600 });
    } catch {
      // Without space or descriptor the earlier lines stay, which prove less and nothing wrong.
    }
  }

  /** Notes that a conversation is about to be deleted, durably. Throws when that fails. */
  forget(key: number): void {
    if (!existsSync(this.#file)) return;
    const descriptor = openSync(this.#file, 'a');
    try {
      writeSync(descriptor, lineOf(`${key} gone`));
      fdatasyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  /** Returns the last whole line of each conversation, by its key. */
  read(): ReadonlyMap<number, KeptLine> {
    const lines = new Map<number, KeptLine>();
    for (const line of this.#text().split('\n')) {
      if (crcOf(line.slice(9)) !== line.slice(0, 8)) continue;
      const [, key = '', rest = ''] = /^(\d+) (.*)$/.exec(line.slice(9)) ?? [];
      const [, id, epoch, event, kept = ''] = /^(\S+) (\d+) (\d+) (.*)$/.exec(rest) ?? [];
      if (rest === 'gone') lines.delete(Number(key));
      if (id === undefined || !isKept(kept)) continue;
      const seq = Number(kept.split(' ', 2)[1]);
      lines.set(Number(key), { mark: { id, key: Number(key), epoch: Number(epoch), seq, event: Number(event) }, kept });
    }
    return lines;
  }

  remove(): void {
    rmSync(this.#file, { force: true });
  }

  #text(): string {
    try {
      return readFileSync(this.#file, 'utf8');
    } catch {
      return '';
    }
  }
}

function lineOf(text: string): string {
  return `${crcOf(text)} ${text}\n`;
}

function crcOf(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
