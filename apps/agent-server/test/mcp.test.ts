import { ModelScript, ScriptedAgent, type ModelTurn } from '@conv/conformance';
import { ConversationError, createConversationFactory, type Agent } from '@conv/core';
import { MemoryStore } from '@conv/core/store';
import { defineTool, text } from '@conv/core/tool';
import { local } from '@conv/local';
import { createMcpHandler, type McpHandlerOptions } from '@conv/mcp';
import { StreamingAgent } from '@conv/testing-harness';
import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

import { calls } from './chat-api.ts';
import { keeping } from './kept-conversations.ts';
import { serveHandler } from './web-server.ts';

type Decision = Readonly<{ action: 'accept'; content: { approved: boolean } } | { action: 'decline' | 'cancel' }>;

interface Served {
  /** Connects the published client. `decide` answers its questions; without it, the client has none. */
  readonly connect: (version: 'auto' | 'legacy', decide?: (message: string) => Decision) => Promise<Client>;
  readonly conversations: ReturnType<typeof keeping>['conversations'];
  /** The words that the tool was called with. */
  readonly executed: readonly string[];
}

async function serve(given: readonly ModelTurn[] | Agent, options: Partial<McpHandlerOptions> = {}): Promise<Served> {
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
    factory.create({ agent, workspace: '.', confirmationPolicy, ...(id === undefined ? {} : { id }) }),
  );
  const { url } = await serveHandler(createMcpHandler({ ...kept, ...options }));
  return {
    conversations,
    executed,
    connect: async (version, decide) => {
      const capabilities = decide ? { elicitation: {} } : {};
      const mode = version === 'auto' ? { pin: '2026-07-28' } : 'legacy';
      const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } });
      if (decide) client.setRequestHandler('elicitation/create', async ({ params }) => decide(params.message) as never);
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
      onTestFinished(() => client.close());
      return client;
    },
  };
}

const VERSIONS = ['auto', 'legacy'] as const;

function converse(client: Client, message: string, more: object = {}): Promise<CallToolResult> {
  return client.callTool({ name: 'converse', arguments: { message, ...more } }) as Promise<CallToolResult>;
}

const said = (result: CallToolResult): readonly unknown[] => [
  result.isError === true,
  Object(result.structuredContent).status,
  Object(result.content[0]).text,
];

test.each(VERSIONS)('P11: a conversation is a tool of clients of MCP (%s), and goes on', async (version) => {
  const { connect, conversations } = await serve([{ text: 'One.' }, { text: 'Two.' }]);
  const client = await connect(version);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['converse', 'read_answer', 'stop_answer']);
  const first = await converse(client, 'Go');
  expect(said(first)).toEqual([false, 'done', 'One.']);
  const { conversation } = first.structuredContent as { conversation: string };
  expect(said(await converse(client, 'On', { conversation }))).toEqual([false, 'done', 'Two.']);
  expect(conversations.map(({ id }) => id)).toEqual([conversation]);
});

test('P10: a call that waits is asked about, and runs only if the person approves', async () => {
  const { connect, executed } = await serve([calls('one'), calls('two'), { text: 'Done.' }]);
  const asked: string[] = [];
  const client = await connect('auto', (message) => {
    asked.push(message);
    return message.includes('one') ? { action: 'accept', content: { approved: true } } : { action: 'decline' };
  });
  expect(said(await converse(client, 'Go'))).toEqual([false, 'done', 'Done.']);
  expect(asked).toEqual([expect.stringContaining('one'), expect.stringContaining('two')]);
  expect(executed).toEqual(['one']);
});

test.each<readonly [string, ((message: string) => Decision) | undefined]>([
  ['leaves the question', () => ({ action: 'cancel' })],
  ['cannot be asked', undefined],
])('P10: a call waits on when the client %s, and another client decides', async (_, decide) => {
  const { connect, executed } = await serve([calls('one'), { text: 'Done.' }]);
  const waiting = await converse(await connect('auto', decide), 'Go');
  expect(said(waiting)).toEqual([false, 'waiting', 'A call waits for a person.']);
  expect(executed).toEqual([]);
  const other = await connect('auto', () => ({ action: 'accept', content: { approved: true } }));
  const { task } = waiting.structuredContent as { task: string };
  const read = (await other.callTool({ name: 'read_answer', arguments: { task } })) as CallToolResult;
  expect(said(read)).toEqual([false, 'done', 'Done.']);
  expect(executed).toEqual(['one']);
});

test('P10: a sender without the right approves nothing', async () => {
  const { connect, executed } = await serve([calls('one')], { mayApprove: () => false });
  const client = await connect('auto', () => ({ action: 'accept', content: { approved: true } }));
  expect(said(await converse(client, 'Go'))).toEqual([true, undefined, expect.stringContaining('[DENIED]')]);
  expect(executed).toEqual([]);
});

test('P11: a call that is repeated with its id is answered again, and runs nothing again', async () => {
  const { connect, conversations } = await serve([{ text: 'One.' }]);
  const client = await connect('auto');
  const answers = [await converse(client, 'Go', { id: 'a' }), await converse(client, 'Go', { id: 'a' })];
  expect(answers.map(said)).toEqual([
    [false, 'done', 'One.'],
    [false, 'done', 'One.'],
  ]);
  expect(conversations).toHaveLength(1);
});

test('P11: a client that leaves stops no run, and another one reads the answer by the task of its progress', async () => {
  const [goOn, told] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  const { connect } = await serve(
    new StreamingAgent(async () => {
      await goOn.promise;
      return 'Done.';
    }),
  );
  const client = await connect('auto');
  const left = new AbortController();
  const call = client.callTool(
    { name: 'converse', arguments: { message: 'Go' } },
    { signal: left.signal, onprogress: ({ message = '' }) => told.resolve(message) },
  );
  const task = (await told.promise).replace('task ', '');
  left.abort();
  await expect(call).rejects.toThrow(/abort/i);
  const other = await connect('auto');
  const reading = other.callTool({ name: 'read_answer', arguments: { task } }) as Promise<CallToolResult>;
  goOn.resolve();
  expect(said(await reading)).toEqual([false, 'done', 'Done.']);
});

test('the run of a task is stopped by its id', async () => {
  const [begun, told] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  const { connect } = await serve(
    new StreamingAgent(async ({ context: { signal } }) => {
      begun.resolve();
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      return '';
    }),
  );
  const client = await connect('auto');
  const call = client.callTool(
    { name: 'converse', arguments: { message: 'Go' } },
    { onprogress: ({ message = '' }) => told.resolve(message) },
  ) as Promise<CallToolResult>;
  await begun.promise;
  const task = (await told.promise).replace('task ', '');
  const stopped = (await client.callTool({ name: 'stop_answer', arguments: { task } })) as CallToolResult;
  expect(said(stopped)).toEqual([false, 'stopped', 'The run was stopped.']);
  expect(said(await call)).toEqual([false, 'stopped', 'The run was stopped.']);
});

test.each<readonly [string, string, object, RegExp]>([
  ['a conversation that is not there', 'converse', { message: 'Go', conversation: 'none' }, /\[NOT_FOUND\]/],
  ['a message without a text', 'converse', { message: ' ' }, /\[INVALID_INPUT\].*message with a text/],
  ['the id of no task', 'read_answer', { task: 'none' }, /\[NOT_FOUND\]/],
])('%s is refused by name', async (_, name, given, problem) => {
  const { connect } = await serve([]);
  const result = (await (await connect('auto')).callTool({ name, arguments: { ...given } })) as CallToolResult;
  expect(said(result)).toEqual([true, undefined, expect.stringMatching(problem)]);
});

test('a failed run is an error with the code of its failure', async () => {
  const { connect } = await serve(
    new StreamingAgent(() => {
      throw Object.assign(new Error('no such model'), { name: 'LLMBadRequestError' });
    }),
  );
  const result = await converse(await connect('auto'), 'Go');
  expect(said(result)).toEqual([true, 'failed', expect.stringContaining('no such model')]);
});

test('a sender without the right opens nothing', async () => {
  const { connect } = await serve([], {
    create: () => Promise.reject(new ConversationError('DENIED', 'expected another key')),
  });
  expect(said(await converse(await connect('auto'), 'Go'))).toEqual([
    true,
    undefined,
    expect.stringContaining('[DENIED]'),
  ]);
});
