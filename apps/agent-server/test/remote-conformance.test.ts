import {
  applicableCases,
  conversationConformance,
  ModelScript,
  ScriptedAgent,
  type ScriptedAgentOptions,
  type ConversationScript,
  type ConversationUnderTest,
} from '@conv/conformance';
import type { Tool } from '@conv/core/tool';
import { openRemoteConversation, type RemoteConversation, type RemoteConversationOptions } from '@conv/remote';
import { test } from 'vitest';

import { ServerUnderTest } from './server-under-test.ts';

/** The agent as its user has it: the tools of the server are not here. */
class GivenAgent extends ScriptedAgent {
  readonly #own: readonly Tool[];

  constructor(options: ScriptedAgentOptions) {
    super(options);
    this.#own = options.tools ?? [];
  }

  tools(): readonly Tool[] {
    return this.#own;
  }
}

async function make({
  turns,
  tools = [],
  ownTools = [],
  toolConcurrency = 1,
  ...settings
}: ConversationScript): Promise<ConversationUnderTest> {
  const script = new ModelScript(turns);
  const there = new ScriptedAgent({ script, tools, toolConcurrency });
  const server = await ServerUnderTest.start(there);
  const agent = ownTools.length > 0 ? new GivenAgent({ script, tools: ownTools }) : there.describe();
  const opened: RemoteConversation[] = [];
  const open = async (options: Partial<RemoteConversationOptions>): Promise<RemoteConversation> => {
    const given = { workspace: server.workspace, agent, subscriberGrace: 50, ...options };
    const conversation = await openRemoteConversation({}, given);
    opened.push(conversation);
    return conversation;
  };
  const dispose = async (): Promise<void> => {
    for (const one of opened) await one.close();
    await server.dispose();
  };
  const conversation = await open({ ...settings, create: 'must' }).catch(async (error: unknown) => {
    await dispose();
    throw error;
  });
  return {
    conversation,
    reopen: async () => {
      await opened.at(-1)?.close();
      // not from what the server has in memory
      await server.stop();
      await server.start();
      return open({ id: conversation.id, create: 'never' });
    },
    kill: async () => {
      await server.kill();
      return open({ id: conversation.id, create: 'never' });
    },
    model: (more) => server.model(more),
    open: (id) => open({ id, create: 'never' }),
    modelRequests: () => script.requests,
    dispose,
  };
}

const features = {
  fork: true,
  commits: true,
  kill: true,
  keepsRuns: true,
  secrets: true,
  stuckDetection: true,
  models: true,
  toolConcurrency: true,
  clientTools: true,
  ownTools: true,
  answerCall: true,
  edits: true,
  rerunActions: false,
  outline: true,
  view: true,
  unknownAnalyzers: false,
};

for (const { name, run } of applicableCases(conversationConformance, features))
  test(name, () => run({ make, waitTimeout: 60_000 }));
