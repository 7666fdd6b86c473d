import { appendFile, chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { looksSecret } from './secret-forms.ts';

/** Texts that are kept; with twice as many the file is written anew. */
const KEPT = 500;

/**
 * The texts that were typed into the chats of a store, in a file that only its owner can read: a text of JSON on each line. A text that looks
 * like it holds a key is not kept.
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

  /** Reads a file. What is no text in it is left out; a missing file is empty. Rejects when it cannot be read. */
  static async open(file: string): Promise<InputHistory> {
    const texts = (await contentOf(file)).split('\n').flatMap(textOf);
    const kept = texts.slice(-KEPT);
    if (texts.length > 2 * KEPT) await replace(file, kept);
    return new InputHistory(file, kept);
  }

  /** Appends a text, unless it is the last one again or looks secret. Resolves when the file has it; rejects when it does not. */
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
    // a line that a full disk or a person cut
    return [];
  }
}

async function replace(file: string, texts: readonly string[]): Promise<void> {
  const fresh = `${file}.${process.pid}`;
  await writeFile(fresh, texts.map((text) => `${JSON.stringify(text)}\n`).join(''), { mode: 0o600 });
  await rename(fresh, file);
}
