import { ModelScript, ScriptedAgent, type ModelTurn } from '@conv/conformance';
import { createConversationFactory, type Agent } from '@conv/core';
import { MemoryStore } from '@conv/core/store';
import { defineTool, text, type ClientToolInput } from '@conv/core/tool';
import { local } from '@conv/local';
import { createMcpHandler, type McpHandlerOptions } from '@conv/mcp';
import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

import { keeping } from './kept-conversations.ts';
import { serveHandler } from './web-server.ts';

export type Decision = Readonly<
  { action: 'accept'; content: { approved: boolean; arguments?: string } } | { action: 'decline' | 'cancel' }
>;

/** The handler behind a real port. */
export interface Served {
  /** Connects the published client. `decide` answers its questions; without it, the client has none. */
  readonly connect: (
    version: 'auto' | 'legacy',
    decide?: (message: string) => Decision,
    elicitation?: { url?: Record<string, never> },
  ) => Promise<Client>;
  readonly conversations: ReturnType<typeof keeping>['conversations'];
  /** The words that the tool was called with. */
  readonly executed: readonly string[];
}

/** Serves conversations whose calls always wait for a person. */
export async function serve(
  given: readonly ModelTurn[] | Agent,
  options: Partial<McpHandlerOptions> = {},
  clientTools: readonly ClientToolInput[] = [],
): Promise<Served> {
  const executed: string[] = [];
  const echo = defineTool({
    name: 'echo',
    description: 'Says it again.',
    input: z.object({ words: z.string() }),
    execute: ({ words }) => {
      executed.push(words);
      return text(words);
    },
  });
  const agent = Array.isArray(given)
    ? new ScriptedAgent({ script: new ModelScript(given as readonly ModelTurn[]), tools: [echo] })
    : (given as Agent);
  const store = new MemoryStore();
  const factory = createConversationFactory({ runtimes: [local({ storeAt: () => store })] });
  const confirmationPolicy = { kind: 'AlwaysConfirm' } as const;
  const { conversations, ...kept } = keeping(({ id }: { readonly id: string | undefined }) =>
    factory.create({ agent, workspace: '.', confirmationPolicy, clientTools, ...(id === undefined ? {} : { id }) }),
  );
  const { url } = await serveHandler(createMcpHandler({ ...kept, ...options }));
  return {
    conversations,
    executed,
    connect: async (version, decide, elicitation = {}) => {
      const capabilities = decide ? { elicitation } : {};
      const mode = version === 'auto' ? { pin: '2026-07-28' } : 'legacy';
      const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } });
      if (decide) client.setRequestHandler('elicitation/create', async ({ params }) => decide(params.message) as never);
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
      onTestFinished(() => client.close());
      return client;
    },
  };
}

export const VERSIONS = ['auto', 'legacy'] as const;

/** Calls the tool that sends a message. */
export function converse(client: Client, message: string, more: object = {}): Promise<CallToolResult> {
  return client.callTool({ name: 'converse', arguments: { message, ...more } }) as Promise<CallToolResult>;
}

/** Returns what a result says: whether it is an error, the status, and the text. */
export const said = (result: CallToolResult): readonly unknown[] => [
  result.isError === true,
  Object(result.structuredContent).status,
  Object(result.content[0]).text,
];

/** Calls a tool about a task. */
export function about(client: Client, name: 'read_answer' | 'stop_answer', task: unknown): Promise<CallToolResult> {
  return client.callTool({ name, arguments: { task } }) as Promise<CallToolResult>;
}

/** Returns the id of the task of a result. */
export const taskOf = ({ structuredContent }: CallToolResult): string => String(Object(structuredContent).task);
