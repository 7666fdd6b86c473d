import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

import type { Platform } from '@conv/core/platform';

const BATCH = 1 << 18;
const HIGH_WATER = 1 << 22;

/** Maximum number of stored characters, so that an endless command does not fill the disk. */
const SIDE_FILE_LIMIT: number = 1 << 28;

/**
 * Long output on its way into a file of its own. Text is written in the background, in order. While more than a few MiB wait for
 * the disk, `write` returns false, and `onDrain` is called when writing may continue.
 */
export class SideFile {
  readonly #directory: string;
  readonly #partial: string;
  readonly #onDrain: () => void;
  readonly #hash = createHash('sha256');
  #waiting: string[] = [];
  #waitingLength = 0;
  #accepted = 0;
  #writing: Promise<void> | undefined;
  #failure: unknown;

  constructor({ id }: Pick<Platform, 'id'>, directory: string, onDrain: () => void) {
    this.#directory = directory;
    this.#partial = join(directory, `.terminal_output_${id()}.partial`);
    this.#onDrain = onDrain;
  }

  /** True if everything that was written is or will be in the file. */
  get complete(): boolean {
    return this.#accepted <= SIDE_FILE_LIMIT && this.#failure === undefined;
  }

  write(text: string): boolean {
    this.#accepted += text.length;
    if (!this.complete) return true;
    this.#waiting.push(text);
    this.#waitingLength += text.length;
    if (this.#waitingLength >= BATCH) this.#start();
    return this.#waitingLength < HIGH_WATER;
  }

  /** Resolves with the file's path once everything is in it, `undefined` when the disk refused. */
  async finish(): Promise<string | undefined> {
    while (this.#failure === undefined && (this.#waiting.length > 0 || this.#writing)) {
      this.#start();
      await this.#writing;
    }
    if (this.#failure !== undefined) return this.discard();
    const name = `terminal_output_${this.#hash.digest('hex').slice(0, 8)}.txt`;
    const path = join(this.#directory, name);
    try {
      await rename(this.#partial, path);
      return path;
    } catch {
      return this.discard();
    }
  }

  async discard(): Promise<undefined> {
    this.#failure ??= new Error('discarded');
    await this.#writing;
    await rm(this.#partial, { force: true }).catch(() => undefined);
  }

  #start(): void {
    this.#writing ??= this.#pump().then(
      () => {
        this.#writing = undefined;
      },
      (error: unknown) => {
        // the result says that the full text was not kept; the command itself must not fail for it
        this.#failure = error;
        this.#waiting = [];
        this.#waitingLength = 0;
        this.#writing = undefined;
        this.#onDrain();
      },
    );
  }

  async #pump(): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    const file = await open(this.#partial, 'a', 0o600);
    try {
      while (this.#waiting.length > 0 && this.#failure === undefined) await this.#writeBatch(file);
    } finally {
      await file.close();
    }
  }

  async #writeBatch(file: FileHandle): Promise<void> {
    const bytes = Buffer.from(this.#waiting.join(''));
    this.#waiting = [];
    this.#hash.update(bytes);
    await file.writeFile(bytes);
    this.#waitingLength = this.#waiting.reduce((sum, text) => sum + text.length, 0);
    this.#onDrain();
  }
}
