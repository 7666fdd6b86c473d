import type { EditorOptions } from '@conv/acp';
import { ModelScript, ScriptedAgent, type ModelTurn } from '@conv/conformance';
import { createConversationFactory, type Agent, type Conversation } from '@conv/core';
import { MemoryStore } from '@conv/core/store';
import { defineTool, text, toolWires } from '@conv/core/tool';
import { local } from '@conv/local';
import { openRemoteConversation } from '@conv/remote';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

import { ServerUnderTest } from '../server-under-test.ts';

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ words: z.string() }),
  execute: ({ words }) => text(words),
});

const tasks = defineTool({
  name: 'tasks',
  description: 'Sets the task list.',
  input: z.object({
    command: z.literal('plan'),
    task_list: z.array(z.object({ title: z.string(), status: z.string() })),
  }),
  wire: (tool) =>
    toolWires.native(tool, {
      definition: 'TaskTrackerTool',
      action: 'TaskTrackerAction',
      observation: 'TaskTrackerObservation',
    }),
  execute: (fields) => ({ content: text('Set.'), fields }),
});

export type Policy = 'AlwaysConfirm' | 'NeverConfirm';

/** Opens a conversation for the editors of a test. */
export type Open = (agent: Agent, policy?: Policy) => Promise<Conversation>;

export async function openLocal(agent: Agent, policy: Policy = 'NeverConfirm'): Promise<Conversation> {
  const store = new MemoryStore();
  const create = createConversationFactory({ runtimes: [local({ storeAt: () => store })] });
  const conversation = await create.create({ agent, workspace: '.', confirmationPolicy: { kind: policy } });
  onTestFinished(() => conversation.close());
  return conversation;
}

async function openRemote(agent: Agent, policy: Policy = 'NeverConfirm'): Promise<Conversation> {
  const server = await ServerUnderTest.start(agent);
  onTestFinished(() => server.dispose());
  const conversation = await openRemoteConversation(
    {},
    { workspace: server.workspace, agent: agent.describe(), confirmationPolicy: { kind: policy } },
  );
  onTestFinished(() => conversation.close());
  return conversation;
}

/** The runtimes that an adapter works on. */
export const RUNTIMES: readonly (readonly [string, Open])[] = [
  ['a local conversation', openLocal],
  ['a remote conversation', openRemote],
];

/** An agent that answers by a script and can say things again. */
export function scripted(...answers: readonly ModelTurn[]): Agent {
  return new ScriptedAgent({ script: new ModelScript(answers), tools: [echo, tasks] });
}

/** A call of the tool that says things again. */
export const echoing = (...words: readonly string[]): ModelTurn => ({
  calls: words.map((each) => ({ name: 'echo', arguments: { words: each } })),
});

/** Options of an agent with one conversation. */
export function serving(conversation: Conversation, more: Partial<EditorOptions> = {}): EditorOptions {
  return { create: async () => conversation, open: async () => conversation, ...more };
}
