import { appendFile, chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { looksSecret } from './secret-forms.ts';

/** Number of stored texts; at twice as many the file is rewritten. */
const KEPT = 500;

/**
 * The input history of the chats of a store, in a file that only its owner can read, with a JSON string per line. A text that seems
 * to hold a key is not stored.
 */
export class InputHistory {
  /** The texts of the file, the oldest first. */
  readonly texts: readonly string[];
  readonly #file: string;
  #last: string | undefined;
  #writing: Promise<void> = Promise.resolve();

  private constructor(file: string, texts: readonly string[]) {
    this.#file = file;
    this.texts = texts;
    this.#last = texts.at(-1);
  }

  /** Reads a file. Skips invalid lines; a missing file is empty. Rejects if the file cannot be read. */
  static async open(file: string): Promise<InputHistory> {
    const texts = (await contentOf(file)).split('\n').flatMap(textOf);
    const kept = texts.slice(-KEPT);
    if (texts.length > 2 * KEPT) await replace(file, kept);
    return new InputHistory(file, kept);
  }

  /**
   * Appends a text, unless it is the last one again or looks secret. Resolves when the file holds the text; rejects if it cannot be
   * written.
   */
  add(text: string): Promise<void> {
    if (text === this.#last || looksSecret(text)) return Promise.resolve();
    this.#last = text;
    const before = this.#writing.catch(() => undefined);
    this.#writing = before.then(async () => {
      await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
      await appendFile(this.#file, `${JSON.stringify(text)}\n`, { mode: 0o600 });
      await chmod(this.#file, 0o600);
    });
    return this.#writing;
  }
}

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function textOf(line: string): readonly string[] {
  try {
    const text: unknown = JSON.parse(line);
    return typeof text === 'string' && text !== '' ? [text] : [];
  } catch {
    // a line that is incomplete, after a full disk or an edit by hand
    return [];
  }
}

async function replace(file: string, texts: readonly string[]): Promise<void> {
  const fresh = `${file}.${process.pid}`;
  await writeFile(fresh, texts.map((text) => `${JSON.stringify(text)}\n`).join(''), { mode: 0o600 });
  await rename(fresh, file);
}
