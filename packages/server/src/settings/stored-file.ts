import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { JsonObject } from '@conv/core';
import { Turns, type Platform } from '@conv/core/platform';

import type { StoredObject } from './settings-place.ts';

/** Error for settings that cannot be read. Their file or record is left unchanged. */
export class StoredFileError extends Error {
  override readonly name = 'StoredFileError';
  readonly file: string;

  constructor(file: string, options?: ErrorOptions) {
    super(`${file} is damaged, or was written with another key`, options);
    this.file = file;
  }
}

/**
 * A JSON object in a file that only the process's user can read. It is read each time, so that several processes may use it.
 * Changes of one process run one after the other. Each change is written atomically, also across a crash.
 */
export class StoredFile implements StoredObject {
  readonly place: string;
  readonly #platform: Pick<Platform, 'id'>;
  readonly #turns = new Turns();

  constructor(path: string, platform: Pick<Platform, 'id'>) {
    this.place = path;
    this.#platform = platform;
  }

  /** Resolves with the object; `undefined` when there is no file. Rejects {@link StoredFileError} unless it is a JSON object. */
  async read(): Promise<JsonObject | undefined> {
    let text: string;
    try {
      text = await readFile(this.place, 'utf8');
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
    } catch (cause) {
      throw new StoredFileError(this.place, { cause });
    }
    throw new StoredFileError(this.place);
  }

  /** Replaces the object by the result of `work`; `undefined` leaves it unchanged. Resolves when it is on the disk. */
  async change(work: (before: JsonObject | undefined) => JsonObject | undefined): Promise<void> {
    await this.#turns.run(async () => {
      const after = work(await this.read());
      if (after) await this.#write(after);
    });
  }

  /** Removes the file. Resolves with true if it existed. */
  async remove(): Promise<boolean> {
    return this.#turns.run(async () => {
      try {
        await rm(this.place);
        return true;
      } catch (error) {
        if (isMissing(error)) return false;
        throw error;
      }
    });
  }

  async #write(value: JsonObject): Promise<void> {
    await mkdir(dirname(this.place), { recursive: true, mode: 0o700 });
    const temporary = `${this.place}.${this.#platform.id()}.tmp`;
    try {
      const file = await open(temporary, 'wx', 0o600);
      try {
        await file.writeFile(`${JSON.stringify(value, undefined, 2)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, this.place);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }
}

/** True if the error says that the file does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
