import { ConversationError } from '@conv/core';

import type { ConversationHost } from '../hosting/conversation-host.ts';
import { withPast } from '../hosting/with-conversation.ts';
import { ownerIn } from './owner.ts';

/** Parents that are looked at for one conversation. Sub-agents do not nest deeper. */
const MOST_PARENTS = 20;

/**
 * Resolves with the name of the principal that a conversation belongs to; the conversation of a sub-agent belongs to that of its parent. Null: it was
 * started with a key of the configuration, which has no name. Rejects as `ConversationHost.readPast`, `NOT_FOUND`, and `STORE_FAILED` if it cannot be
 * known: no other person may stand in.
 */
export async function principalOf(host: ConversationHost, conversationId: string): Promise<string | null> {
  let [id, childMadeAt] = [conversationId, Infinity];
  for (let depth = 0; depth <= MOST_PARENTS; depth++) {
    const { owner, parentId, madeAt } = await withPast(host, id, async ({ fields }) => {
      if (fields.damaged) throw unknown(id, DAMAGED);
      return { owner: ownerIn(fields), parentId: fields.parentId, madeAt: Date.parse(fields.createdAt) };
    });
    // it has the id of the deleted parent
    if (madeAt > childMadeAt) throw unknown(id, 'its parent was deleted');
    if (owner !== null || parentId === null) return owner;
    [id, childMadeAt] = [parentId, madeAt];
  }
  throw unknown(conversationId, `it has more than ${MOST_PARENTS} parents`);
}

const DAMAGED = 'its settings may be damaged; confirm them, as conv confirm-damage does';

function unknown(conversationId: string, why: string): ConversationError {
  return new ConversationError('STORE_FAILED', `conversation ${conversationId}: its owner cannot be known: ${why}`, {
    conversationId,
  });
}
