import { checks, checkOptionNames, type ConversationRuntime, type OptionNames, type WorkspaceInput } from '@conv/core';

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

const isFunction = (value: unknown): boolean => typeof value === 'function';
const hasMethod = (value: unknown, name: string): boolean => typeof Reflect.get(Object(value), name) === 'function';

/** The value that each option must have, and its check. */
const EXPECTED: Readonly<Record<string, readonly [expected: string, fits: (value: unknown) => boolean]>> = {
  agents: ['createAgentFactory()', (value) => hasMethod(value, 'revive')],
  secrets: ['createSecretVault, the function itself', isFunction],
  analyzers: ['reviveSecurityAnalyzer, the function itself', isFunction],
  hooks: ['reviveHooks()', isFunction],
  stuckDetector: ['createStuckDetector()', (value) => !isFunction(value) && hasMethod(value, 'apply')],
  protect: ['a function that returns { addresses, paths }', isFunction],
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
  if (!isFunction(options.storeAt)) {
    const expected = 'a function that makes a store, such as (directory) => new FsStore({ directory })';
    throw new TypeError(checks.wrongValue('local: storeAt', expected, options.storeAt));
  }
  for (const [name, [expected, fits]] of Object.entries(EXPECTED)) {
    const found: unknown = options[name as keyof LocalRuntimeOptions];
    if (found !== undefined && !fits(found)) throw new TypeError(checks.wrongValue(`local: ${name}`, expected, found));
  }
}
