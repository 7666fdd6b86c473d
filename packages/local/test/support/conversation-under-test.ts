import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Cipher, Conversation, StuckDetector } from '@conv/core';
import {
  ModelScript,
  ScriptedAgent,
  type ConversationScript,
  type ConversationSuiteFeatures,
  type ConversationUnderTest,
} from '@conv/conformance';
import { KillableStore } from '@conv/testing-harness';

import { openLocalConversation, type LocalConversationOptions } from '../../src/index.ts';
import { FakeDetector } from './fake-detector.ts';
import { fakeCipher, FakeVault } from './fake-vault.ts';

/** Features of the harness and the runtime. */
export const features: ConversationSuiteFeatures = {
  fork: true,
  commits: true,
  kill: true,
  secrets: true,
  stuckDetection: true,
  models: true,
  toolConcurrency: true,
  goals: true,
  titles: true,
  clientTools: true,
  ownTools: true,
  answerCall: true,
  edits: true,
  rerunActions: true,
  outline: true,
  view: true,
};

/** Makes a local conversation of the script; at each opening `change` wraps the conversation that the test uses. */
export async function makeConversation(
  { turns, tools = [], ownTools = [], toolConcurrency = 1, ...settings }: ConversationScript,
  change: (conversation: Conversation) => Conversation = (conversation) => conversation,
): Promise<ConversationUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'conv-local-'));
  const store = new KillableStore();
  const cipher = fakeCipher();
  const script = new ModelScript(turns);
  const agent = new ScriptedAgent({ script, tools: [...tools, ...ownTools], toolConcurrency });
  const opened: Conversation[] = [];
  let shown: Conversation | undefined;
  const open = async (options: LocalConversationOptions): Promise<Conversation> => {
    const runtime = {
      storeAt: () => store,
      secrets: (vault: { readonly cipher?: Cipher | undefined }) => new FakeVault(vault),
      stuckDetector: new FakeDetector() as StuckDetector,
    };
    const given = { agent, store, workspace: folder, subscriberGrace: 50, cipher, ...options };
    const conversation = await openLocalConversation(runtime, given);
    opened.push(conversation);
    shown = change(conversation);
    return shown;
  };
  const dispose = async (): Promise<void> => {
    for (const one of opened) await one.close();
    await store.close();
    await rm(folder, { recursive: true });
  };
  const conversation = await open({ ...settings, create: 'must' }).catch(async (error: unknown) => {
    await dispose();
    throw error;
  });
  const again = (): Promise<Conversation> => open({ id: conversation.id, create: 'never' });
  return {
    conversation,
    reopen: async () => {
      await shown?.close();
      return again();
    },
    kill: async () => {
      await store.kill();
      opened.length = 0;
      return again();
    },
    open: (id) => open({ id, create: 'never' }),
    model: (more) => new ModelScript(more),
    modelRequests: () => script.requests,
    dispose,
  };
}
