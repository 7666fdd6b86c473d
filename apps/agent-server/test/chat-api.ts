import { createChatHandler, type ChatHandlerOptions } from '@conv/ai-ui';
import { ModelScript, ScriptedAgent, type ModelTurn } from '@conv/conformance';
import { createConversationFactory, type Agent, type Conversation } from '@conv/core';
import { MemoryStore } from '@conv/core/store';
import { defineTool, text, type ClientToolInput } from '@conv/core/tool';
import { local } from '@conv/local';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

/** The id of the chat. */
const ID = '0c5c8f0e-53a2-4f0e-8a56-2c6f7cf0a002';
/** A message of the user. */
export const USER = { id: 'abc', role: 'user', parts: [{ type: 'text', text: 'Go' }] };
/** A message of the assistant that decides nothing. */
export const EMPTY = { id: 'x', role: 'assistant', parts: [] };

export interface Chat {
  readonly conversation: Conversation;
  /** The words that the tool was called with. */
  readonly executed: readonly string[];
  /** Sends a message and resolves with the status of the answer and its text. */
  readonly post: (message: object, more?: object) => Promise<readonly [number, string]>;
  /** Sends a message and resolves with the answer. */
  readonly open: (message: object, more?: object) => Promise<Response>;
  /** Asks for the stream of the answer behind a cursor, and resolves with its text. */
  readonly resume: (cursor: string) => Promise<string>;
  readonly stop: () => Promise<Response>;
  /** Returns a message that decides these calls. */
  readonly decides: (...decisions: readonly (readonly [string | undefined, boolean])[]) => object;
}

/** Makes a chat whose calls always wait for a person, and then for `goOn`. */
export async function chatWith(
  answers: readonly ModelTurn[] | Agent,
  options: Partial<ChatHandlerOptions> = {},
  goOn?: Promise<void>,
  clientTools: readonly ClientToolInput[] = [],
): Promise<Chat> {
  const store = new MemoryStore();
  const executed: string[] = [];
  const echo = defineTool({
    name: 'echo',
    description: 'Says it again.',
    input: z.object({ words: z.string() }),
    execute: async ({ words }) => {
      await goOn;
      executed.push(words);
      return text(words);
    },
  });
  const agent = Array.isArray(answers)
    ? new ScriptedAgent({ script: new ModelScript(answers as readonly ModelTurn[]), tools: [echo] })
    : (answers as Agent);
  const factory = createConversationFactory({ runtimes: [local({ storeAt: () => store })] });
  const confirmationPolicy = { kind: 'AlwaysConfirm' } as const;
  const conversation = await factory.create({ id: ID, agent, workspace: '.', confirmationPolicy, clientTools });
  onTestFinished(() => conversation.close());
  const handle = createChatHandler({ conversation: async () => conversation, ...options });
  const ask = (method: string, path: string, init: RequestInit = {}): Promise<Response> =>
    handle(new Request(`http://localhost/api/chat${path}`, { method, ...init }));
  const open: Chat['open'] = (message, more = {}) =>
    ask('POST', '', { body: JSON.stringify({ id: ID, messages: [message], trigger: 'submit-message', ...more }) });
  return {
    conversation,
    executed,
    open,
    post: async (...given) => {
      const answer = await open(...given);
      return [answer.status, await answer.text()];
    },
    resume: async (cursor) => (await ask('GET', `/${ID}/stream`, { headers: { 'last-event-id': cursor } })).text(),
    stop: () => ask('DELETE', `/${ID}/stream`),
    decides: (...decisions) => ({
      ...EMPTY,
      parts: decisions.map(([toolCallId, approved]) => ({
        type: 'dynamic-tool',
        toolCallId,
        state: 'approval-responded',
        approval: { id: toolCallId, approved },
      })),
    }),
  };
}

export const calls = (...words: readonly string[]): ModelTurn => ({
  calls: words.map((each) => ({ name: 'echo', arguments: { words: each } })),
});
