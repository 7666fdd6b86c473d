import type { JsonObject } from '@conv/core';
import { StoreError } from '@conv/core/store';
import type { ConversationPath } from '../disk/conversation-path.ts';
import { strangeId } from '../log/own-state-files.ts';
import { isDamaged } from '../mirror/mirror-state.ts';

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
