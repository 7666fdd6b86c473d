import type { ConversationRuntime, WorkspaceInput } from '@conv/core';

import type { LocalConversationOptions } from './conversation-options.ts';
import type { LocalConversation } from './local-conversation.ts';
import { openLocalConversation, type LocalRuntimeOptions } from './open-conversation.ts';

/** The runtime for conversations in this process; see `createConversationFactory` of `@conv/core`. */
export interface LocalRuntime extends ConversationRuntime<LocalConversationOptions> {
  open(options: LocalConversationOptions): Promise<LocalConversation>;
}

/** Makes the runtime for conversations in this process, on stores of the caller's choice. */
export function local(options: LocalRuntimeOptions): LocalRuntime {
  return {
    name: 'local',
    accepts: (workspace: WorkspaceInput | undefined) =>
      workspace === undefined || typeof workspace === 'string' || workspace.kind === 'LocalWorkspace',
    open: (conversation) => openLocalConversation(options, conversation),
  };
}
