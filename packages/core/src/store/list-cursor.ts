/**
 * Writes the place where a page of a list ends as the text that callers hand back, and reads it.
 *
 * @module
 */
import { StoreError } from '../contract/errors/store-error.ts';

/** Returns a position as the text that callers hand back as `page`. */
export function toText({ key, id }: ReturnType<typeof parse>): string {
  return `${key}/${id}`;
}

/** Reads the text of {@link toText}. Throws `NOT_FOUND` for other text. */
export function parse(page: string): { readonly key: string; readonly id: string } {
  const [, key, id] = /^(.*)\/([\da-f-]{36})$/s.exec(page) ?? [];
  if (key !== undefined && id !== undefined) return { key, id };
  throw new StoreError('NOT_FOUND', `page: expected next of a page, found ${JSON.stringify(page.slice(0, 80))}`);
}
