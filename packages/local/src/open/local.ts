import {
  checkOptionNames,
  describeValue,
  type ConversationRuntime,
  type OptionNames,
  type WorkspaceInput,
} from '@conv/core';

import type { LocalConversationOptions } from '../options/conversation-options.ts';
import type { LocalConversation } from './local-conversation.ts';
import { openLocalConversation, type LocalRuntimeOptions } from './open-conversation.ts';

/** The runtime for conversations in this process; see `createConversationFactory` of `@conv/core`. */
export interface LocalRuntime extends ConversationRuntime<LocalConversationOptions> {
  open(options: LocalConversationOptions): Promise<LocalConversation>;
}

const NAMES: OptionNames<LocalRuntimeOptions> = {
  storeAt: true,
  agents: true,
  secrets: true,
  stuckDetector: true,
  analyzers: true,
  hooks: true,
  protect: true,
};

/** Makes the runtime for conversations in this process, on stores of the caller's choice. Throws `TypeError` for wrong options. */
export function local(options: LocalRuntimeOptions): LocalRuntime {
  checkRuntimeOptions(options);
  return {
    name: 'local',
    accepts: (workspace: WorkspaceInput | undefined) =>
      workspace === undefined || typeof workspace === 'string' || workspace?.kind === 'LocalWorkspace',
    open: (conversation) => openLocalConversation(options, conversation),
  };
}

function checkRuntimeOptions(options: LocalRuntimeOptions): void {
  checkOptionNames('local', options, NAMES);
  const { storeAt, agents, secrets, stuckDetector, analyzers, hooks, protect } = options;
  if (typeof storeAt !== 'function')
    throw new TypeError(
      `local: storeAt: expected a function that makes a store, such as (directory) => new FsStore({ directory }), found ${describeValue(storeAt)}`,
    );
  const wrong = (name: string, expected: string, found: unknown): TypeError =>
    new TypeError(`local: ${name}: expected ${expected}, found ${describeValue(found)}`);
  if (agents !== undefined && typeof agents?.revive !== 'function')
    throw wrong('agents', 'createAgentFactory()', agents);
  if (secrets !== undefined && typeof secrets !== 'function')
    throw wrong('secrets', 'createSecretVault, the function itself', secrets);
  if (analyzers !== undefined && typeof analyzers !== 'function')
    throw wrong('analyzers', 'reviveSecurityAnalyzer, the function itself', analyzers);
  if (hooks !== undefined && typeof hooks !== 'function') throw wrong('hooks', 'reviveHooks()', hooks);
  if (
    stuckDetector !== undefined &&
    (typeof stuckDetector === 'function' || typeof stuckDetector?.apply !== 'function')
  )
    throw wrong('stuckDetector', 'createStuckDetector()', stuckDetector);
  if (protect !== undefined && typeof protect !== 'function')
    throw wrong('protect', 'a function that returns { addresses, paths }', protect);
}
