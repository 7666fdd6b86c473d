import { StoreError } from '@conv/core/store';
import type { ConversationPath } from './conversation-path.ts';

/** Returns the error for a conversation that another process took over. */
export function fenced(path: ConversationPath): StoreError {
  return new StoreError(
    'FENCED',
    `conversation ${path.id} was taken over, deleted or replaced by another process; open it again`,
  );
}
