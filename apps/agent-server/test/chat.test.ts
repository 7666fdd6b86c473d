import { createChatHandler, createChatTransport, toUIMessages } from '@conv/ai-ui';
import { ModelScript, ScriptedAgent, type ModelTurn } from '@conv/conformance';
import { createConversationFactory, type Agent, type Conversation } from '@conv/core';
import { MemoryStore } from '@conv/core/store';
import { defineTool, text } from '@conv/core/tool';
import { local } from '@conv/local';
import { StreamingAgent } from '@conv/testing-harness';
import { messageEventId } from '@conv/turns';
import {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type ChatState,
  type ChatTransport,
  type UIMessage,
} from 'ai';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

import { serveHandler } from './web-server.ts';

const ID = '0c5c8f0e-53a2-4f0e-8a56-2c6f7cf0a001';

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ words: z.string() }),
  execute: ({ words }) => text(words),
});

/** The published chat, without a framework. */
class Chat extends AbstractChat<UIMessage> {
  constructor(transport: ChatTransport<UIMessage>, messages: readonly UIMessage[] = []) {
    const state: ChatState<UIMessage> = {
      status: 'ready',
      error: undefined,
      messages: [...messages],
      pushMessage: (message) => void state.messages.push(message),
      popMessage: () => void state.messages.pop(),
      replaceMessage: (index, message) => void (state.messages[index] = structuredClone(message)),
      snapshot: (thing) => structuredClone(thing),
    };
    super({
      id: ID,
      transport,
      state,
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
  }
}

interface Served {
  readonly api: string;
  readonly conversation: Conversation;
  /** Ends every connection, as a proxy does. */
  readonly cut: () => void;
}

/** Serves the chat of one conversation over a real port. */
async function serve(agent: Agent, policy: 'AlwaysConfirm' | 'NeverConfirm' = 'NeverConfirm'): Promise<Served> {
  const store = new MemoryStore();
  const factory = createConversationFactory({ runtimes: [local({ storeAt: () => store })] });
  const confirmationPolicy = { kind: policy };
  const conversation = await factory.create({ id: ID, agent, workspace: '.', confirmationPolicy });
  const handle = createChatHandler({ conversation: async () => conversation });
  onTestFinished(() => conversation.close());
  const { url, cut } = await serveHandler(handle);
  return { api: `${url}/api/chat`, conversation, cut };
}

function scripted(...answers: readonly ModelTurn[]): Agent {
  return new ScriptedAgent({ script: new ModelScript(answers), tools: [echo] });
}

/** The parts of messages that a person sees. */
function shown(
  messages: readonly { readonly role: string; readonly parts: readonly { readonly type: string }[] }[],
): unknown {
  const parts = messages.map(({ role, parts: all }) => [role, all.filter(({ type }) => type !== 'step-start')]);
  // an approval and the end of a text are states of the page, which the log has as results and events
  const isOfLog = (key: string, value: unknown): boolean =>
    !(key === 'state' && value === 'done') && !(key === 'approval' && Object(value).approved === true);
  return JSON.parse(JSON.stringify(parts, (key, value: unknown) => (isOfLog(key, value) ? value : undefined)));
}

/** The transports: the published one, and ours. */
const TRANSPORTS: readonly (readonly [string, (api: string) => ChatTransport<UIMessage>])[] = [
  ['the published transport', (api) => new DefaultChatTransport({ api })],
  ['our transport', (api) => createChatTransport({ api })],
];

test.each(TRANSPORTS)('P10: a chat over %s sends, approves a call and shows what the log has', async (_, transport) => {
  const answers = [{ calls: [{ name: 'echo', arguments: { words: 'hi' } }] }, { text: 'Done.' }];
  const { api, conversation } = await serve(scripted(...answers), 'AlwaysConfirm');
  const chat = new Chat(transport(api));
  await chat.sendMessage({ text: 'Go' });
  const [action] = conversation.state.pendingActions;
  expect(chat.messages.at(-1)?.parts.at(-1)).toMatchObject({ state: 'approval-requested', toolCallId: action?.id });
  await chat.addToolApprovalResponse({ id: action?.id ?? '', approved: true });
  await expect.poll(() => chat.status).toBe('ready');
  await expect.poll(() => conversation.state.executionStatus).toBe('finished');
  expect(shown(chat.messages)).toEqual(shown(await toUIMessages(conversation)));
  expect(shown(chat.messages)).toMatchObject([
    ['user', [{ text: 'Go' }]],
    [
      'assistant',
      [{ toolName: 'echo', state: 'output-available', output: expect.stringContaining('hi') }, { text: 'Done.' }],
    ],
  ]);
});

test('P11: a repeated POST of a message runs it once', async () => {
  const { api, conversation } = await serve(scripted({ text: 'One.' }, { text: 'Two.' }));
  const message = { id: 'abc', role: 'user', parts: [{ type: 'text', text: 'Go' }] };
  const body = JSON.stringify({ id: ID, messages: [message], trigger: 'submit-message' });
  const post = async (): Promise<string> => (await fetch(api, { method: 'POST', body })).text();
  expect(await post()).toContain('One.');
  expect(await post()).toContain('One.');
  const { events } = conversation;
  expect((await events.slice()).filter(({ kind }) => kind === 'MessageEvent')).toHaveLength(2);
});

test('P11: our transport comes back after a cut in the middle of an answer, and shows it once', async () => {
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { api, conversation, cut } = await serve(
    new StreamingAgent(async ({ say }) => {
      say('Half an ');
      begun.resolve();
      await goOn.promise;
      return 'Half an answer.';
    }),
  );
  const chat = new Chat(createChatTransport({ api }));
  const sending = chat.sendMessage({ text: 'Go' });
  await begun.promise;
  await expect.poll(() => JSON.stringify(chat.messages)).toContain('Half an');
  cut();
  goOn.resolve();
  await sending;
  expect(shown(chat.messages)).toEqual(shown(await toUIMessages(conversation)));
});

/** Asks as `fetch` does, and loses the body of the next answer to a method before its first byte. */
function losing(lost: () => Promise<void> = async () => {}): { readonly ask: typeof fetch; next: string } {
  const connection = {
    next: '',
    ask: async (...given: Parameters<typeof fetch>): Promise<Response> => {
      const answer = await fetch(...given);
      if ((given[1]?.method ?? 'GET') !== connection.next) return answer;
      connection.next = '';
      await answer.body?.cancel();
      await lost();
      return new Response(ReadableStream.from([]));
    },
  };
  return connection;
}

test('P11: our transport that is cut before the first chunk shows the answer to its message, and no other', async () => {
  const { api, conversation } = await serve(scripted({ text: 'One.' }, { text: 'Two.' }));
  const connection = losing();
  const chat = new Chat(createChatTransport({ api, fetch: connection.ask }));
  await chat.sendMessage({ text: 'First' });
  connection.next = 'POST';
  await chat.sendMessage({ text: 'Second' });
  expect(shown(chat.messages)).toEqual(shown(await toUIMessages(conversation)));
  expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
});

test('P11: our transport asks again for an answer whose run the server did not live to begin', async () => {
  const { api, conversation } = await serve(scripted({ text: 'One.' }));
  let isFirst = true;
  const ask: typeof fetch = async (input, init) => {
    if (!isFirst) return fetch(input, init);
    isFirst = false;
    const { messages } = JSON.parse(init?.body as string) as { messages: readonly { readonly id: string }[] };
    const id = await messageEventId(ID, messages.at(-1)?.id ?? '');
    await conversation.sendMessage('Go', { id });
    const start = { type: 'start', messageId: `answer-${id}` };
    return new Response(`id: ${conversation.events.length - 1}\ndata: ${JSON.stringify(start)}\n\n`);
  };
  const chat = new Chat(createChatTransport({ api, fetch: ask }));
  await chat.sendMessage({ text: 'Go' });
  expect(shown(chat.messages)).toEqual(shown(await toUIMessages(conversation)));
  expect(JSON.stringify(chat.messages)).toContain('One.');
});

test('P11: a page that is cut before the first chunk of a resumed answer shows it, also if it has ended', async () => {
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let asked = 0;
  const { api, conversation } = await serve(
    new StreamingAgent(async () => {
      if (++asked === 1) return 'One.';
      begun.resolve();
      await goOn.promise;
      return 'Two.';
    }),
  );
  const first = new Chat(new DefaultChatTransport({ api }));
  await first.sendMessage({ text: 'First' });
  void first.sendMessage({ text: 'Second' });
  await begun.promise;
  const history = (await (await fetch(`${api}/${ID}`)).json()) as UIMessage[];
  const connection = losing(async () => {
    goOn.resolve();
    await expect.poll(() => conversation.state.executionStatus).toBe('finished');
  });
  const second = new Chat(createChatTransport({ api, fetch: connection.ask }), history);
  connection.next = 'GET';
  await second.resumeStream();
  expect(shown(second.messages)).toEqual(shown(await toUIMessages(conversation)));
});

test('P11: a page that is loaded again resumes the answer in progress, and stop ends the run', async () => {
  const begun = Promise.withResolvers<void>();
  const { api, conversation } = await serve(
    new StreamingAgent(async ({ context }) => {
      begun.resolve();
      await new Promise((__, reject) => context.signal.addEventListener('abort', () => reject(context.signal.reason)));
      return '';
    }),
  );
  const first = new Chat(new DefaultChatTransport({ api }));
  void first.sendMessage({ text: 'Go' });
  await begun.promise;
  await first.stop();
  expect(conversation.state.executionStatus).toBe('running');
  const history = (await (await fetch(`${api}/${ID}`)).json()) as UIMessage[];
  const second = new Chat(createChatTransport({ api }), history);
  const resuming = second.resumeStream();
  await expect.poll(() => second.status).not.toBe('ready');
  await second.stop();
  await resuming;
  await expect.poll(() => conversation.state.executionStatus).toBe('paused');
  expect((await fetch(`${api}/${ID}/stream`)).status).toBe(204);
});

test('bad requests are refused by name', async () => {
  const { api } = await serve(scripted());
  for (const body of ['{', '{}', JSON.stringify({ id: ID, messages: [{ id: 'x', role: 'system', parts: [] }] })]) {
    const answer = await fetch(api, { method: 'POST', body });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('expected { id, messages }')]);
  }
  expect((await fetch(`${api}/${ID}`, { method: 'PUT' })).status).toBe(405);
  expect((await fetch(`${api}/%`)).status).toBe(404);
});
