import { join } from 'node:path';

import {
  createAgent,
  createAgentFactory,
  type ModelProfiles,
  openaiCompatible,
  reviveSecurityAnalyzer,
} from '@conv/agent';
import { createConversationFactory, type Agent, type Conversation } from '@conv/core';
import type { ConversationScript, ConversationUnderTest } from '@conv/conformance';
import type { ToolSource } from '@conv/core/tool';
import { reviveHooks } from '@conv/hooks';
import { local, type LocalConversationOptions, type LocalRuntime } from '@conv/local';
import { FsStore, type MirrorMode } from '@conv/persist-fs';
import { createSecretVault } from '@conv/secrets';
import { createStuckDetector } from '@conv/stuck';
import type { ModelServer } from '@conv/testing-model-server';
import { fileEditor, taskTracker, terminal } from '@conv/tools';

import { newFolder } from './new-folder.ts';
import { signAsDead } from './dead-owner.ts';
import { killableDisk, type KillableDisk } from './killable-disk.ts';

/** Options of a conversation. */
export interface RealConversationOptions {
  readonly mirror: MirrorMode;
  /** The source of the agent on open: given again, or built from the stored description. */
  readonly agentOnOpen: 'given' | 'stored';
  /** Models that the agent may hand over to. */
  readonly profiles?: ModelProfiles;
}

/** Conversations in a folder of their own, each opened through a store of its own, with an agent whose model is `server`. */
class RealConversations {
  readonly #folder = newFolder();
  readonly #conversations = join(this.#folder, 'conversations');
  readonly #options: RealConversationOptions;
  readonly #agent: Agent;
  readonly #tools: readonly ToolSource[];
  #process: KillableDisk = killableDisk();
  #opened: Conversation[] = [];

  constructor(
    server: ModelServer,
    { tools = [], ownTools = [], toolConcurrency = 1 }: ConversationScript,
    options: RealConversationOptions,
  ) {
    this.#options = options;
    this.#tools = [...tools, ...ownTools, terminal(), fileEditor(), taskTracker()];
    const model = openaiCompatible('scripted-model', { baseUrl: server.url });
    const { profiles } = options;
    this.#agent = createAgent({ model, tools: this.#tools, toolConcurrency, ...(profiles ? { profiles } : {}) });
  }

  create(
    settings: Omit<ConversationScript, 'turns' | 'tools' | 'ownTools' | 'toolConcurrency'>,
  ): Promise<Conversation> {
    const workspace = join(this.#folder, 'project');
    return this.#open({ ...settings, create: 'must', workspace, agent: this.#agent });
  }

  open(id: string): Promise<Conversation> {
    const agent = this.#options.agentOnOpen === 'given' ? { agent: this.#agent } : {};
    return this.#open({ ...agent, id, create: 'never' });
  }

  async kill(): Promise<void> {
    await this.#process.kill();
    signAsDead(this.#conversations);
    this.#process = killableDisk();
    this.#opened = [];
  }

  async close(): Promise<void> {
    for (const conversation of this.#opened) await conversation.close();
  }

  async #open(options: LocalConversationOptions): Promise<Conversation> {
    const make = createConversationFactory({ runtimes: [this.#runtime()] });
    const conversation = await make({
      ...options,
      persistenceDir: this.#conversations,
      subscriberGrace: 50,
      // a subscriber to tokens makes the model stream
      subscribers: [{ onToken: () => {} }],
    });
    this.#opened.push(conversation);
    return conversation;
  }

  #runtime(): LocalRuntime {
    const { disk } = this.#process;
    const { profiles } = this.#options;
    return local({
      storeAt: (directory) => new FsStore({ directory, mirror: this.#options.mirror, disk }),
      agents: createAgentFactory({
        tools: Object.fromEntries(this.#tools.map((tool) => [tool.name, () => tool])),
        ...(profiles ? { profiles } : {}),
      }),
      analyzers: reviveSecurityAnalyzer,
      hooks: reviveHooks(),
      secrets: createSecretVault,
      stuckDetector: createStuckDetector(),
    });
  }
}

/** A conversation for the suite. */
export async function realConversation(
  server: ModelServer,
  script: ConversationScript,
  options: RealConversationOptions,
): Promise<ConversationUnderTest> {
  const { turns: _turns, tools: _tools, ownTools: _own, toolConcurrency: _limit, ...settings } = script;
  const conversations = new RealConversations(server, script, options);
  const conversation = await conversations.create(settings);
  return {
    conversation,
    reopen: async () => {
      await conversations.close();
      return conversations.open(conversation.id);
    },
    kill: async () => {
      await conversations.kill();
      return conversations.open(conversation.id);
    },
    open: (id) => conversations.open(id),
    modelRequests: () => server.requests.length,
    dispose: () => conversations.close(),
  };
}
