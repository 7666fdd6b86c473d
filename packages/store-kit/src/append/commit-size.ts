import { StoreError } from '@conv/core/store';

/** The largest commit of the stores that have no limit of their own, in bytes of JSON. */
export const MAX_COMMIT_BYTES: number = 16 * 1024 * 1024;

/** A commit whose size is checked. */
export interface SizedCommit {
  /** The id of the commit. */
  readonly id: string;
  readonly conversationId: string;
  /** The size of its JSON. */
  readonly bytes: number;
}

/** Returns a `TOO_LARGE` error for a commit with more bytes than `limit`. */
export function commitTooLarge(
  { id, conversationId, bytes }: SizedCommit,
  limit: number = MAX_COMMIT_BYTES,
): StoreError | undefined {
  if (bytes <= limit) return undefined;
  const subject = `commit ${id} of conversation ${conversationId}`;
  return new StoreError(
    'TOO_LARGE',
    `${subject}: expected at most ${limit} bytes, found ${bytes}; commit less at a time`,
  );
}
