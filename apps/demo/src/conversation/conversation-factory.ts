import { reviveSecurityAnalyzer } from '@conv/agent';
import { type AgentFactory, type ConversationFactory, createConversationFactory } from '@conv/core';
import { reviveHooks } from '@conv/hooks';
import { local, type LocalRuntime } from '@conv/local';
import { FsStore } from '@conv/persist-fs';
import { remote, type RemoteRuntime } from '@conv/remote';
import { createSecretVault } from '@conv/secrets';
import { createStuckDetector } from '@conv/stuck';

import { warnOf } from './finding-text.ts';
import { storedAgents } from './stored-agent.ts';

/** Where conversations are kept when nobody says otherwise, relative to the folder that the program was started in. */
export const DEFAULT_DIRECTORY = 'workspace/conversations';

/** The store of a folder of conversations. */
export function storeAt(directory: string): FsStore {
  return new FsStore({ directory, report: warnOf });
}

/** Conversations whose agent runs in this process. `agents` builds those that nobody gives. */
function runtimeWith(agents: AgentFactory): LocalRuntime {
  return local({
    storeAt,
    agents,
    analyzers: reviveSecurityAnalyzer,
    hooks: reviveHooks(),
    secrets: createSecretVault,
    stuckDetector: createStuckDetector(),
  });
}

/** For commands that give their agent, or need none. */
export const onThisMachine: LocalRuntime = runtimeWith(storedAgents);

/** For conversations that a server holds. */
export const onServers: RemoteRuntime = remote();

/** Opens and makes conversations on this machine. `agents` builds the agents that nobody gives. */
export function conversationsWith(agents: AgentFactory): ConversationFactory<readonly [LocalRuntime]> {
  return createConversationFactory({ runtimes: [runtimeWith(agents)] });
}

/** Opens and makes conversations where their workspace is, for commands that give their agent, or need none. */
export const Conversation: ConversationFactory<readonly [LocalRuntime, RemoteRuntime]> = createConversationFactory({
  runtimes: [onThisMachine, onServers],
});

/** Opens and makes conversations on servers alone. */
export const ConversationThere: ConversationFactory<readonly [RemoteRuntime]> = createConversationFactory({
  runtimes: [onServers],
});
