import type { JsonObject } from '@conv/core';
import { StoreError, toConversationId } from '@conv/core/store';
import type { ConversationPath } from '../disk/conversation-path.ts';
import { isDamaged } from '../mirror/mirror-state.ts';

/** The id of another conversation that a `base_state.json` or `meta.json` names; `undefined` if it names this one or none. */
export function strangeId({ id }: ConversationPath, file: JsonObject): string | undefined {
  const { id: named } = file;
  if (typeof named !== 'string') return undefined;
  try {
    const other = toConversationId(named);
    return other === id ? undefined : other;
  } catch {
    return undefined;
  }
}

/**
 * Throws `CORRUPT` for a folder without a log whose state is another conversation's. OpenHands refuses it, too: nothing says
 * whether the events or the state are in the wrong place.
 */
export function assertOfConversation(path: ConversationPath, base: JsonObject | undefined): void {
  const other = base && !isDamaged(base) ? strangeId(path, base) : undefined;
  if (other === undefined) return;
  throw new StoreError(
    'CORRUPT',
    `conversation ${path.id}: base_state.json in its folder has the id ${other}; ` +
      `give the folder the name ${other.replaceAll('-', '')}, or the file the id of the folder`,
  );
}
