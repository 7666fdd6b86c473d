import { ModelScript, ScriptedAgent, type ModelTurn } from '@conv/conformance';
import { createConversationFactory, type Agent, type Conversation } from '@conv/core';
import { MemoryStore } from '@conv/core/store';
import { defineTool, text, type ClientToolInput } from '@conv/core/tool';
import { local } from '@conv/local';
import { createOpenAIHandler, type ConversationRequest, type OpenAIHandlerOptions } from '@conv/openai';
import OpenAI from 'openai';
import { z } from 'zod';

import { keeping } from './kept-conversations.ts';

export interface Api {
  readonly client: OpenAI;
  readonly conversations: readonly Conversation[];
}

export type Make = (wanted: ConversationRequest) => Promise<Conversation>;

/** The published client in front of the handler. */
export function apiOver(make: Make, options: Partial<OpenAIHandlerOptions> = {}): Api {
  const { conversations, ...kept } = keeping(make);
  const handle = createOpenAIHandler({ ...kept, ...options });
  const ask = async (url: string | URL | Request, init?: RequestInit): Promise<Response> =>
    handle(new Request(url, init));
  const client = new OpenAI({ apiKey: 'key', baseURL: 'http://localhost/v1', fetch: ask, maxRetries: 0 });
  return { client, conversations };
}

export function clientTools({ functions }: ConversationRequest): readonly ClientToolInput[] {
  return functions.map((each) => ({ ...each, description: each.description || each.name, answers: 'caller' as const }));
}

export const confirmationPolicy = { kind: 'AlwaysConfirm' } as const;

/** Makes local conversations. */
export function localWith(agent: Agent, asks = false): Make {
  const store = new MemoryStore();
  const factory = createConversationFactory({ runtimes: [local({ storeAt: () => store })] });
  return (wanted) =>
    factory.create({
      agent,
      workspace: '.',
      clientTools: clientTools(wanted),
      ...(asks ? { confirmationPolicy } : {}),
    });
}

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ words: z.string() }),
  execute: ({ words }) => text(words),
});

export function scripted(...answers: readonly ModelTurn[]): Agent {
  return new ScriptedAgent({ script: new ModelScript(answers), tools: [echo] });
}

export const calls = (name: string, words: string): ModelTurn => ({ calls: [{ name, arguments: { words } }] });
export const weather = {
  type: 'function',
  name: 'weather',
  parameters: { type: 'object', properties: { words: { type: 'string' } } },
  strict: false,
} as const;
