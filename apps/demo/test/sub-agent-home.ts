import { join } from 'node:path';

import { createAgent, delegateTool, openaiCompatible, taskTool } from '@conv/agent';
import type { Agent } from '@conv/core';
import { openLocalConversation, type LocalConversation, type LocalConversationOptions } from '@conv/local';
import { FsStore } from '@conv/persist-fs';
import { createSecretVault } from '@conv/secrets';
import { terminal } from '@conv/tools';

/** Price of a model's answer. */
const PRICE = { input: 0, output: 1_000_000 } as const;

/** An agent with a terminal that has others work for it; its model is at `baseUrl`, and each token that it says costs a dollar. */
export function chief(baseUrl: string): Agent {
  const model = openaiCompatible('scripted-model', { baseUrl, price: PRICE });
  const agents = [
    { name: 'helper', description: 'Runs commands.', systemPrompt: 'You are the helper.', tools: ['terminal'] },
  ];
  const tools = [taskTool({ agents }), delegateTool({ agents }), terminal()];
  return createAgent({ model, tools, toolConcurrency: 8 });
}

/** Opens a conversation in the folder. */
export function openAt(folder: string, options: LocalConversationOptions): Promise<LocalConversation> {
  return openLocalConversation(
    { storeAt: (directory) => new FsStore({ directory }), secrets: createSecretVault },
    { persistenceDir: join(folder, 'conversations'), workspace: join(folder, 'project'), ...options },
  );
}
