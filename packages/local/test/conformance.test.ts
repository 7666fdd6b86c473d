import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Cipher, StuckDetector } from '@conv/core';
import {
  applicableCases,
  conversationConformance,
  ModelScript,
  ScriptedAgent,
  type ConversationScript,
  type ConversationUnderTest,
} from '@conv/core/conformance';
import { KillableStore } from '@conv/testing-harness';
import { test } from 'vitest';

import { openLocalConversation, type LocalConversation, type LocalConversationOptions } from '../src/index.ts';
import { FakeDetector } from './fake-detector.ts';
import { fakeCipher, FakeVault } from './fake-vault.ts';

async function make({
  turns,
  tools = [],
  ownTools = [],
  toolConcurrency,
  ...settings
}: ConversationScript): Promise<ConversationUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'conv-local-'));
  const store = new KillableStore();
  const cipher = fakeCipher();
  const script = new ModelScript(turns);
  const agent = new ScriptedAgent({ script, tools: [...tools, ...ownTools], toolConcurrency: toolConcurrency ?? 1 });
  const opened: LocalConversation[] = [];
  const open = async (options: LocalConversationOptions): Promise<LocalConversation> => {
    const runtime = {
      storeAt: () => store,
      secrets: (vault: { readonly cipher?: Cipher | undefined }) => new FakeVault(vault),
      stuckDetector: new FakeDetector() as StuckDetector,
    };
    const conversation = await openLocalConversation(runtime, {
      agent,
      store,
      workspace: folder,
      subscriberGrace: 50,
      cipher,
      ...options,
    });
    opened.push(conversation);
    return conversation;
  };
  const conversation = await open({ ...settings, create: 'must' });
  const again = (): Promise<LocalConversation> => open({ id: conversation.id, create: 'never' });
  return {
    conversation,
    reopen: async () => {
      await opened.at(-1)?.close();
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
    dispose: async () => {
      for (const one of opened) await one.close();
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

const features = {
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
  rerunActions: true,
};

for (const { name, run } of applicableCases(conversationConformance, features)) test(name, () => run({ make }));
