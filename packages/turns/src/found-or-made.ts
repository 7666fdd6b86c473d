import { isConversationError } from '@conv/core';

/**
 * Resolves with what is found, and makes it unless it is there: the conversation of a request that begins one, which may be repeated, also at the
 * same time. Rejects as `find` does, but for `NOT_FOUND`, and as `make` does, but for `EXISTS`.
 */
export async function foundOrMade<Thing>(find: () => Promise<Thing>, make: () => Promise<Thing>): Promise<Thing> {
  try {
    return await find();
  } catch (error) {
    if (!isConversationError(error, 'NOT_FOUND')) throw error;
  }
  return make().catch((error: unknown) => {
    // the repetition was faster
    if (isConversationError(error, 'EXISTS')) return find();
    throw error;
  });
}
