import { StoreError } from '@conv/core/store';

/** Where a page of a list ended: the sort key and the id of its last item. */
export interface ListPosition {
  readonly key: string;
  readonly id: string;
}

/** A position as the text that callers hand back. */
export function toCursor({ key, id }: ListPosition): string {
  return Buffer.from(JSON.stringify([key, id])).toString('base64url');
}

/** The position that a text stands for. Throws `NOT_FOUND` for a text that is no cursor. */
export function parseCursor(page: string): ListPosition {
  try {
    const value: unknown = JSON.parse(Buffer.from(page, 'base64url').toString());
    const [key, id] = Array.isArray(value) ? (value as unknown[]) : [];
    if (typeof key === 'string' && typeof id === 'string') return { key, id };
  } catch {
    // not even JSON; told below
  }
  throw new StoreError('NOT_FOUND', `page ${JSON.stringify(page.slice(0, 80))} is none that a list has ended with`);
}
