/** Bytes that an entry costs beside its content, about. */
const ENTRY = 256;

/**
 * Cache of objects that never change. Beyond its limit it drops the least recently used. Objects that a writer has just put are
 * here for its readers, so following a log of this process asks the service for nothing.
 */
export class ObjectCache {
  readonly #limit: number;
  readonly #entries = new Map<string, Buffer>();
  #size = 0;

  /** `limit` is in bytes of memory. */
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
    // Leave out an object of more than a quarter of the limit: it would drive out everything else.
    if (bytes.length > this.#limit / 4) return;
    this.#drop(key);
    this.#entries.set(key, ownMemory(bytes));
    this.#size += bytes.length + ENTRY;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#limit) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const bytes = this.#entries.get(key);
    if (!bytes) return;
    this.#entries.delete(key);
    this.#size -= bytes.length + ENTRY;
  }
}

/** Returns the same bytes in memory of their own: a part of a larger buffer, such as Node's pool, keeps all of it alive. */
function ownMemory(bytes: Buffer): Buffer {
  if (bytes.length === bytes.buffer.byteLength) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}
