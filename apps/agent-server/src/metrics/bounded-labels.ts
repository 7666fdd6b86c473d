/** Label for all values beyond the limit. */
const OTHER = 'other';

/**
 * Values of a label that clients choose. Only the first values are kept apart, so that no client can make a server count without
 * end.
 */
export class BoundedLabels {
  readonly #known = new Set<string>();
  readonly #most: number;

  constructor(most: number = 100) {
    this.#most = most;
  }

  /** The value, or `other` when there are too many or it is too long. */
  of(value: string): string {
    if (this.#known.has(value)) return value;
    if (this.#known.size >= this.#most || value.length > 100) return OTHER;
    this.#known.add(value);
    return value;
  }
}
