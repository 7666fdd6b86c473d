import { checkOptionNames, type ConversationRuntime, type OptionNames, type WorkspaceInput } from '@conv/core';

import { openRemoteConversation, type RemoteRuntimeOptions } from './open-remote-conversation.ts';
import type { RemoteConversation } from './remote-conversation.ts';
import type { RemoteConversationOptions } from './remote-conversation-options.ts';

/** The runtime for conversations on agent servers; see `createConversationFactory` of `@conv/core`. */
export interface RemoteRuntime extends ConversationRuntime<RemoteConversationOptions> {
  open(options: RemoteConversationOptions): Promise<RemoteConversation>;
}

const NAMES: OptionNames<RemoteRuntimeOptions> = { heartbeat: true, finishedGrace: true };

/** Makes the runtime for conversations on agent servers: those of `@conv/server`, and all others with the same protocol. */
export function remote(options: RemoteRuntimeOptions = {}): RemoteRuntime {
  checkOptionNames('remote', options, NAMES);
  return {
    name: 'remote',
    accepts: (workspace: WorkspaceInput | undefined) =>
      typeof workspace === 'object' && workspace !== null && workspace.kind === 'RemoteWorkspace',
    open: (conversation) => openRemoteConversation(options, conversation),
  };
}
