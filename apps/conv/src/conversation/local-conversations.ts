import { reviveSecurityAnalyzer } from '@conv/agent';
import { type AgentFactory, type ConversationFactory, createConversationFactory } from '@conv/core';
import type { Sandbox } from '@conv/core/tool';
import { reviveHooks } from '@conv/hooks';
import { local, type LocalRuntime } from '@conv/local';
import { createSecretVault } from '@conv/secrets';
import { createStuckDetector } from '@conv/stuck';

import { loginsFolder } from '../logins/logins-folder.ts';
import { storeAt } from './store-at.ts';
import { storedAgents } from './stored-agent.ts';

/**
 * Returns the runtime for conversations whose agent runs in this process. `agents` builds agents that the caller does not give.
 */
function runtimeWith(agents: AgentFactory, sandbox?: Sandbox): LocalRuntime {
  return local({
    storeAt,
    agents,
    analyzers: reviveSecurityAnalyzer,
    hooks: reviveHooks({ sandbox }),
    secrets: createSecretVault,
    stuckDetector: createStuckDetector(),
    // an action that touches them is rated as one on the program's own keys
    protect: () => ({ addresses: [], paths: [loginsFolder()] }),
  });
}

/** For commands that give their agent, or need none. */
export const onThisMachine: LocalRuntime = runtimeWith(storedAgents);

/** Opens and creates conversations on this machine. `agents` builds agents that the caller does not give; `sandbox` confines stored hooks. */
export function conversationsWith(
  agents: AgentFactory,
  sandbox?: Sandbox,
): ConversationFactory<Parameters<LocalRuntime['open']>[0], Awaited<ReturnType<LocalRuntime['open']>>> {
  return createConversationFactory({ runtimes: [runtimeWith(agents, sandbox)] });
}

/** Opens and makes conversations on this machine, for commands that give their agent, or need none. */
export const ConversationHere: ConversationFactory<
  Parameters<LocalRuntime['open']>[0],
  Awaited<ReturnType<LocalRuntime['open']>>
> = createConversationFactory({
  runtimes: [onThisMachine],
});
