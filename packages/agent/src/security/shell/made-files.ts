import type { Place } from '../facts/places.ts';
import { Origin, type Output } from './word.ts';

/**
 * Files that a script writes itself, and folders that it fetches. They tell the content of files that are run later.
 */
export class MadeFiles {
  readonly #made = new Map<string, Output>();

  /** Notes the content that was written into a file, or fetched into a folder. */
  add({ names }: Place, output: Output): void {
    this.#made.set(names.join('/'), output);
  }

  /** Returns the content that was written into a file. */
  at({ names }: Place): Output | undefined {
    return this.#made.get(names.join('/'));
  }

  /** True if a file lies in a folder that was fetched. */
  isInFetched({ names }: Place): boolean {
    for (let end = names.length - 1; end > 0; end -= 1) {
      const made = this.#made.get(names.slice(0, end).join('/'));
      if (made !== undefined) return (made.origin & Origin.NETWORK) !== 0;
    }
    return false;
  }
}
