import { appendFileSync, closeSync, existsSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { checkedText, textIn } from '@conv/store-kit/system';
import type { EndMark } from './end-mark.ts';
import { readIfThere } from './read-if-there.ts';

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
      appendFileSync(this.#file, `${checkedText(`${key} ${id} ${epoch} ${event} ${kept}`)}\n`, { mode: 0o600 });
    } catch {
      // Without space or descriptor the earlier lines stay, which prove less and nothing wrong.
    }
  }

  /** Notes that a conversation is about to be deleted, durably. Throws when that fails. */
  forget(key: number): void {
    if (!existsSync(this.#file)) return;
    const descriptor = openSync(this.#file, 'a');
    try {
      writeSync(descriptor, `${checkedText(`${key} gone`)}\n`);
      fdatasyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  /** Returns the last whole line of each conversation, by its key. */
  read(): ReadonlyMap<number, KeptLine> {
    const lines = new Map<number, KeptLine>();
    for (const line of (readIfThere(this.#file)?.toString() ?? '').split('\n')) {
      const [, key = '', rest = ''] = /^(\d+) (.*)$/.exec(textIn(line) ?? '') ?? [];
      const [, id, epoch, event, kept = ''] = /^(\S+) (\d+) (\d+) (.*)$/.exec(rest) ?? [];
      if (rest === 'gone') lines.delete(Number(key));
      const text = textIn(kept);
      if (id === undefined || text === undefined) continue;
      const seq = Number(text.split(' ', 1)[0]);
      lines.set(Number(key), { mark: { id, key: Number(key), epoch: Number(epoch), seq, event: Number(event) }, kept });
    }
    return lines;
  }

  remove(): void {
    rmSync(this.#file, { force: true });
  }
}
