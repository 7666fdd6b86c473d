import { fromStoreError } from '@conv/core';
import { toConversationId } from '@conv/core/store';

/** Returns an id as a dashed UUID. Throws `INVALID_INPUT`. */
export function parseId(id: string): string {
  try {
    return toConversationId(id);
  } catch (error) {
    throw fromStoreError(error);
  }
}
