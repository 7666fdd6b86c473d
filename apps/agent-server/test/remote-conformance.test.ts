import {
  applicableCases,
  conversationConformance,
  ModelScript,
  ScriptedAgent,
  type ConversationScript,
  type ConversationUnderTest,
} from '@conv/core/conformance';
import { openRemoteConversation, type RemoteConversation, type RemoteConversationOptions } from '@conv/remote';
import { test } from 'vitest';

import { ServerUnderTest } from './server-under-test.ts';

async function make({
  turns,
  tools,
  toolConcurrency,
  ...settings
}: ConversationScript): Promise<ConversationUnderTest> {
  const script = new ModelScript(turns);
  const agent = new ScriptedAgent({ script, tools: tools ?? [], toolConcurrency: toolConcurrency ?? 1 });
  const server = await ServerUnderTest.start(agent);
  const opened: RemoteConversation[] = [];
  const open = async (options: Partial<RemoteConversationOptions>): Promise<RemoteConversation> => {
    const given = { workspace: server.workspace, agent: agent.describe(), subscriberGrace: 50, ...options };
    const conversation = await openRemoteConversation({}, given);
    opened.push(conversation);
    return conversation;
  };
  const conversation = await open({ ...settings, create: 'must' });
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
    dispose: async () => {
      for (const one of opened) await one.close();
      await server.dispose();
    },
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
  answerCall: true,
  rerunActions: false,
  unknownAnalyzers: false,
};

for (const { name, run } of applicableCases(conversationConformance, features)) test(name, () => run({ make }));
