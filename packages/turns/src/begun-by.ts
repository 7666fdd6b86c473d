import { isConversationError } from '@conv/core';

import { isEventId, messageEventId } from './message-event-id.ts';

/**
 * Resolves with the conversation that a request begins, or has begun when it came before. Only a UUID is the same request for certain: clients
 * choose ids such as `1`, and two with one of these would share a conversation.
 *
 * @param scope keeps conversations of one protocol apart from other ids
 */
export async function begunBy<Thing>(
  { scope, id }: { readonly scope: readonly [kind: string, what: string]; readonly id: string | undefined },
  find: (id: string) => Promise<Thing>,
  make: (id: string | undefined) => Promise<Thing>,
): Promise<Thing> {
  const uuid = id?.toLowerCase();
  if (uuid === undefined || !isEventId(uuid)) return make(undefined);
  const wanted = await messageEventId(scope[0], `${scope[1]} ${uuid}`);
  return foundOrMade(
    () => find(wanted),
    () => make(wanted),
  );
}

/**
 * Resolves with what is found, and makes it unless it is there: the conversation of a request that begins one, which may be repeated, also at the
 * same time. Rejects as `find` does, but for `NOT_FOUND`, and as `make` does, but for `EXISTS`.
 */
async function foundOrMade<Thing>(find: () => Promise<Thing>, make: () => Promise<Thing>): Promise<Thing> {
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
