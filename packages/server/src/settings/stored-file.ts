import { rm } from 'node:fs/promises';
import type { JsonObject } from '@conv/core';
import { isJsonObject, Turns, type Platform } from '@conv/core/platform';

import { withFileLock } from './file-lock.ts';
import { isMissing } from './missing-file.ts';
import { changePrivateFile, textOf } from './private-file.ts';
import type { StoredObject } from './settings-place.ts';
import { StoredObjectError } from './stored-object-error.ts';

/**
 * A JSON object in a file that only its owner can read. It is read each time, so that several processes may use it.
 * Their changes run one after the other. Each change is written atomically, also across a crash.
 */
export class StoredFile implements StoredObject {
  readonly place: string;
  readonly #platform: Pick<Platform, 'id'>;
  readonly #turns = new Turns();

  constructor(path: string, platform: Pick<Platform, 'id'>) {
    this.place = path;
    this.#platform = platform;
  }

  /** Resolves with the object; `undefined` when there is no file. Rejects {@link StoredObjectError} unless it is a JSON object. */
  async read(): Promise<JsonObject | undefined> {
    return this.#objectIn(await textOf(this.place));
  }

  /** Replaces the object by the result of `work`; `undefined` leaves it unchanged. Resolves when it is on the disk. */
  async change(work: (before: JsonObject | undefined) => JsonObject | undefined): Promise<void> {
    const change = (text: string | undefined): string | undefined => {
      const after = work(this.#objectIn(text));
      return after && `${JSON.stringify(after, undefined, 2)}\n`;
    };
    await this.#turns.run(() => changePrivateFile(this.place, change, this.#platform));
  }

  /** Removes the file. Resolves with true if it existed. */
  async remove(): Promise<boolean> {
    return this.#turns.run(async () => {
      try {
        await withFileLock(this.place, () => rm(this.place));
        return true;
      } catch (error) {
        if (isMissing(error)) return false;
        throw error;
      }
    });
  }

  #objectIn(text: string | undefined): JsonObject | undefined {
    if (text === undefined) return undefined;
    try {
      const value: unknown = JSON.parse(text);
      if (isJsonObject(value)) return value;
    } catch (cause) {
      throw new StoredObjectError(this.place, { cause });
    }
    throw new StoredObjectError(this.place);
  }
}
