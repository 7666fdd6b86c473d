/** The maximum number of buckets of a list. */
const MOST = 1024;

/**
 * Values by event number. Many values are joined in buckets of equal width, so the list is bounded, whatever the length of the log.
 */
export class BucketList<Value> {
  readonly #join: (older: Value, newer: Value) => Value;
  /** Values by the number of their bucket. */
  #buckets = new Map<number, Value>();
  /** Events of a bucket: a power of two, so that wider buckets begin where narrower ones do. */
  #width = 1;

  /** `join` returns the value of a bucket after another value was added. */
  constructor(join: (older: Value, newer: Value) => Value) {
    this.#join = join;
  }

  /** The events of a bucket. */
  get width(): number {
    return this.#width;
  }

  add(event: number, value: Value): void {
    put(this.#buckets, Math.floor(event / this.#width), value, this.#join);
    while (this.#buckets.size > MOST) {
      this.#buckets = this.#joined(2);
      this.#width *= 2;
    }
  }

  /** Returns the values from an event on, in ascending order, in buckets of this width: a power of two, at least the list's own. */
  from(event: number, width: number): readonly Value[] {
    const first = Math.floor(event / width);
    return [...this.#joined(width / this.#width)]
      .filter(([bucket]) => bucket >= first)
      .toSorted(([one], [other]) => one - other)
      .map(([, value]) => value);
  }

  #joined(factor: number): Map<number, Value> {
    if (factor === 1) return this.#buckets;
    const wider = new Map<number, Value>();
    const inOrder = [...this.#buckets].toSorted(([one], [other]) => one - other);
    for (const [bucket, value] of inOrder) put(wider, Math.floor(bucket / factor), value, this.#join);
    return wider;
  }
}

function put<Value>(
  buckets: Map<number, Value>,
  bucket: number,
  value: Value,
  join: (older: Value, newer: Value) => Value,
): void {
  const known = buckets.get(bucket);
  buckets.set(bucket, known === undefined ? value : join(known, value));
}
