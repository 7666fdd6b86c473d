import { join } from 'node:path';
import type { ConversationSummary } from '@conv/core/store';
import { checkedText, checkValue } from '@conv/store-kit/system';
import type { Disk } from '../disk/disk.ts';
import { ifThere } from '../disk/from-fs-error.ts';
import { makeIfMissing } from '../disk/make-folder.ts';
import { writeAll } from '../disk/whole-file.ts';

/** A summary, and the mark of the files that it was made of. */
export interface KeptSummary {
  /** The name of the folder. */
  readonly key: string;
  readonly mark: string;
  readonly summary: ConversationSummary;
}

/** The first line, which tells another format. */
const HEAD = 'conv summaries 1\n';
/** Lines that are read or written in one turn of the event loop. */
const PER_TURN = 256;
/** New summaries from which on a new file is worth writing. */
const WORTH = 256;
const TEMPORARY = '.tmp';

/**
 * The file of summaries beside the folders of a store. It is a cache: each line carries a CRC and the mark of its
 * conversation's files, so lines that are damaged or out of date are read again from the folders. The file is replaced
 * as a whole; of several processes the last one wins.
 */
export class SummaryCache {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #file: string;
  readonly #unsaved = new Set<string>();

  constructor(disk: Disk, root: string) {
    this.#disk = disk;
    // A folder, because OpenHands passes by folders that hold no conversation.
    this.#folder = join(root, '.conv-list');
    this.#file = join(this.#folder, 'summaries');
  }

  /** Yields the kept summaries, some at a time; none if the file is missing, cannot be read or has another format. */
  async *load(): AsyncGenerator<readonly KeptSummary[], void, undefined> {
    const bytes = await this.#disk.readFile(this.#file).catch(() => undefined);
    if (!bytes) return;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    if (text.toString('utf8', 0, HEAD.length) !== HEAD) return;
    for (let from = HEAD.length; from < text.length;) {
      const some: KeptSummary[] = [];
      for (let lines = 0; lines < PER_TURN && from < text.length; lines++) {
        const end = text.indexOf(10, from);
        if (end < 0) return yield some;
        const kept = parseLine(text.subarray(from, end));
        if (kept) some.push(kept);
        from = end + 1;
      }
      yield some;
      await this.#disk.platform.nextTurn();
    }
  }

  /** Notes that the file does not hold the present summary of this conversation. */
  changed(key: string): void {
    this.#unsaved.add(key);
  }

  /** Writes the file again if enough has changed. Errors are dropped: without it lists are slower and no less right. */
  async keep(all: () => Iterable<KeptSummary>): Promise<void> {
    if (this.#unsaved.size < WORTH) return;
    const temporary = `${this.#file}.${this.#disk.platform.id()}${TEMPORARY}`;
    this.#unsaved.clear();
    try {
      makeIfMissing(this.#disk, this.#folder);
      for (const name of this.#disk.list(this.#folder))
        if (name.endsWith(TEMPORARY)) ifThere(() => this.#disk.remove(join(this.#folder, name)));
      await this.#write(temporary, all());
      this.#disk.rename(temporary, this.#file);
    } catch {
      // The next look at all folders reads the summaries that the file does not hold.
    }
  }

  async #write(path: string, all: Iterable<KeptSummary>): Promise<void> {
    const file = this.#disk.open(path, 'create');
    try {
      let lines = [HEAD];
      let position = 0;
      const flush = (): void => {
        const bytes = Buffer.from(lines.join(''));
        writeAll(this.#disk, file, bytes, position);
        position += bytes.length;
        lines = [];
      };
      for (const kept of all) {
        if (lines.push(`${checkedText(JSON.stringify(kept))}\n`) < PER_TURN) continue;
        flush();
        await this.#disk.platform.nextTurn();
      }
      flush();
    } finally {
      this.#disk.close(file);
    }
  }
}

/** Returns the summary in a result of `checkedText`, compared as bytes; `undefined` if the line is damaged. */
function parseLine(line: Buffer): KeptSummary | undefined {
  const json = line.subarray(9);
  if (line.toString('latin1', 0, 8) !== checkValue(json)) return undefined;
  return JSON.parse(json.toString()) as KeptSummary;
}
