import { fromStoreError } from '@conv/core';
import { toConversationId } from '@conv/core/store';

/** Returns the id in the form in which conversations are stored. Throws `INVALID_INPUT`. */
export function storedIdOf(id: string): string {
  try {
    return toConversationId(id);
  } catch (error) {
    throw fromStoreError(error);
  }
}
