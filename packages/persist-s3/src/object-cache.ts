/**
 * Bytes of objects that never change, the least recently used ones given up beyond a limit. What a writer has just put is here for
 * its readers, so that following a log of this process asks the service for nothing.
 */
export class ObjectCache {
  readonly #limit: number;
  readonly #entries = new Map<string, Buffer>();
  #size = 0;

  /** `limit`: in bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): Buffer | undefined {
    const bytes = this.#entries.get(key);
    if (!bytes) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, bytes);
    return bytes;
  }

  put(key: string, bytes: Buffer): void {
    // One object that takes up most of the room would drive out everything else.
    if (bytes.length > this.#limit / 4) return;
    this.#drop(key);
    this.#entries.set(key, bytes);
    this.#size += bytes.length;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#limit) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const bytes = this.#entries.get(key);
    if (!bytes) return;
    this.#entries.delete(key);
    this.#size -= bytes.length;
  }
}
