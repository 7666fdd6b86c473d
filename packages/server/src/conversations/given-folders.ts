import { isConversationError, type JsonObject } from '@conv/core';

import type { ConversationHost } from '../hosting/conversation-host.ts';
import { withPast } from '../hosting/with-conversation.ts';
import { ownerIn } from './owner.ts';

/** The member of a conversation's metadata with the folders that it was given. No client sets it. */
export const GIVEN_FOLDERS = 'given_folders';

/** Parents that are looked at for one conversation, as for its principal. */
const MOST_PARENTS = 20;

/** Returns the folders of a new conversation for its metadata. */
export function keptFolders(folders: readonly string[]): JsonObject {
  return folders.length === 0 ? {} : { [GIVEN_FOLDERS]: folders };
}

/**
 * Resolves with the folders that a conversation was given with its plugins. The conversation of a sub-agent has those of its parent, too. None for an
 * id without a conversation, and for settings that may be damaged. Rejects as `ConversationHost.readPast`.
 */
export async function givenFoldersOf(host: ConversationHost, conversationId: string): Promise<readonly string[]> {
  const found = new Set<string>();
  let [id, childMadeAt]: [string | null, number] = [conversationId, Infinity];
  for (let depth = 0; depth <= MOST_PARENTS && id !== null; depth++) {
    const one: Given | undefined = await givenTo(host, id);
    // a parent that is younger than its child has the id of the deleted one, and may be another person's
    if (!one || one.madeAt > childMadeAt) break;
    for (const folder of one.folders) found.add(folder);
    [id, childMadeAt] = [one.parentId, one.madeAt];
  }
  return [...found];
}

interface Given {
  readonly folders: readonly string[];
  /** The parent if this is the conversation of a sub-agent, which belongs to no principal itself. */
  readonly parentId: string | null;
  readonly madeAt: number;
}

async function givenTo(host: ConversationHost, id: string): Promise<Given | undefined> {
  try {
    return await withPast(host, id, async ({ fields }) => {
      if (fields.damaged) return undefined;
      const given = fields.extra.meta[GIVEN_FOLDERS];
      return {
        folders: Array.isArray(given) ? given.filter((path) => typeof path === 'string') : [],
        parentId: ownerIn(fields) === null ? fields.parentId : null,
        madeAt: Date.parse(fields.createdAt),
      };
    });
  } catch (error) {
    // programs beside conversations have sandboxes, too, whose ids are no UUIDs
    if (isConversationError(error, 'NOT_FOUND') || isConversationError(error, 'INVALID_INPUT')) return undefined;
    throw error;
  }
}
