import type { ChecksumHeaders } from './checksums.ts';

/** An object as it is stored. Replaced as a whole, never changed. */
export interface StoredObject {
  readonly body: Buffer;
  /** Without quotes. */
  readonly etag: string;
  /** Epoch milliseconds. */
  readonly modified: number;
  /** Headers that come back with it: its type and the caller's own metadata. */
  readonly headers: Readonly<Record<string, string>>;
  readonly checksums: ChecksumHeaders;
}

/** Objects by key, with the keys in the order of S3: by the bytes of their UTF-8 form. */
export class Bucket {
  readonly #objects = new Map<string, StoredObject>();
  #sorted: readonly string[] | undefined;

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): StoredObject | undefined {
    return this.#objects.get(key);
  }

  put(key: string, object: StoredObject): void {
    if (!this.#objects.has(key)) this.#sorted = undefined;
    this.#objects.set(key, object);
  }

  delete(key: string): void {
    if (this.#objects.delete(key)) this.#sorted = undefined;
  }

  /** All keys, sorted. */
  keys(): readonly string[] {
    this.#sorted ??= [...this.#objects.keys()]
      .map((key) => ({ key, bytes: Buffer.from(key) }))
      .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
      .map(({ key }) => key);
    return this.#sorted;
  }
}

/** Compares keys as S3 sorts them. UTF-16, which JavaScript compares, has another order beyond U+FFFF. */
export function compareKeys(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
