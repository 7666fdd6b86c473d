import {
  applicableCases,
  type ConversationScript,
  type ConversationUnderTest,
  conversationConformance,
  ModelScript,
  ScriptedAgent,
} from '@conv/conformance';
import { openRemoteConversation, type RemoteConversation, RemoteWorkspace } from '@conv/remote';
import { inCi } from '@conv/testing-harness';
import { test } from 'vitest';

import { startStudio } from '../../src/index.ts';
import { ServerBehind } from './support/server-behind.ts';

const KEY = 'the-key-of-programs-0123456789';

/** A conversation on a server behind studio. Everything that the client asks for passes through studio. */
async function make(script: ConversationScript): Promise<ConversationUnderTest> {
  const { turns, tools = [], ownTools: _none, toolConcurrency = 1, ...settings } = script;
  const model = new ModelScript(turns);
  const agent = new ScriptedAgent({ script: model, tools, toolConcurrency });
  const behind = await ServerBehind.start(agent);
  const environment = { OH_SESSION_API_KEY: ServerBehind.key };
  const studio = await startStudio({ place: behind.url, port: 0, environment, sessionKey: KEY, report: () => {} });
  const workspace = new RemoteWorkspace({
    host: new URL(studio.url).origin,
    apiKey: KEY,
    workingDir: behind.folder,
  });
  const clients: RemoteConversation[] = [];
  const dispose = async (): Promise<void> => {
    for (const client of clients) await client.close();
    await studio.close();
    await behind.stop();
  };
  const connect = async (more: object): Promise<RemoteConversation> => {
    const options = { workspace, agent: agent.describe(), subscriberGrace: 50, ...more };
    const client = await openRemoteConversation({}, options);
    clients.push(client);
    return client;
  };
  try {
    const conversation = await connect({ ...settings, create: 'must' });
    const again = (id: string): Promise<RemoteConversation> => connect({ id, create: 'never' });
    const reopen = async (): Promise<RemoteConversation> => {
      await clients.at(-1)?.close();
      await behind.stop();
      await behind.start();
      return again(conversation.id);
    };
    return { conversation, reopen, open: again, modelRequests: () => model.requests, dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

const features = {
  fork: true,
  commits: true,
  keepsRuns: true,
  secrets: true,
  stuckDetection: true,
  toolConcurrency: true,
  clientTools: true,
  answerCall: true,
  edits: true,
  outline: true,
  view: true,
  kill: false,
  models: false,
  ownTools: false,
  rerunActions: false,
  unknownAnalyzers: false,
};

// studio passes on what it is asked
for (const { name, run } of inCi(applicableCases(conversationConformance, features), 3))
  test(`${name} through studio`, () => run({ make, waitTimeout: 60_000 }));
