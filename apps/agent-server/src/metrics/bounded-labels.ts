/** Label for all values beyond the limit. */
const OTHER = 'other';

/**
 * Limits the values of a label that clients choose. Only the first values are counted separately, so that clients cannot create
 * labels without end.
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
