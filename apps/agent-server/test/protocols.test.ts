import { Message } from '@a2a-js/sdk';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

import { HttpAgent } from '@ag-ui/client';
import { createModelServer, say, type ModelServer } from '@conv/testing-model-server';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { DefaultChatTransport, readUIMessageStream } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { keyedClient } from './a2a-api.ts';
import { newFolder } from './new-folder.ts';
import { ServerHere } from './server-here.ts';

let model: ModelServer;
let server: ServerHere;

beforeAll(async () => {
  model = await createModelServer({ script: () => say('Yes.') });
  server = await ServerHere.start(newFolder(), {
    CONV_AGENT_NAME: 'Librarian',
    CONV_AGENT_DESCRIPTION: 'Finds books.',
  });
  const llm = { model: 'openai/any', base_url: model.url, api_key: 'sk-any-0123456789', usage_id: 'agent' };
  await server.call('PATCH', '/api/settings', { agent_settings_diff: { llm } });
  await server.call('POST', '/api/profiles/fast', { llm });
});

afterAll(async () => {
  await server.stop();
  await model.close();
});

const keyed = (): Record<string, string> => ({ 'x-session-api-key': server.key });

function openai(apiKey = server.key): OpenAI {
  return new OpenAI({ apiKey, baseURL: `${server.url}/v1`, maxRetries: 0 });
}

/** Returns the texts of the agent in a conversation, as the routes of the server have them. */
async function answersIn(id: string): Promise<readonly string[]> {
  const { body } = await server.call<{ items: readonly object[] }>('GET', `/api/conversations/${id}/events/search`);
  const texts = body.items.filter((event) => Object(event).source === 'agent' && 'llm_message' in event);
  return texts.map((event) => String(Object(event).llm_message.content[0].text));
}

test('/server_info names the protocols', async () => {
  expect((await server.call('GET', '/server_info')).body['protocols']).toEqual([
    'openai',
    'ai-ui',
    'ag-ui',
    'a2a',
    'mcp',
  ]);
});

test('the card names this server, whatever address is the target of its request', async () => {
  const card = async (path: string): Promise<string> => {
    const asked = get({ host: '127.0.0.1', port: new URL(server.url).port, path });
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return text(answer);
  };
  const own = await card('/.well-known/agent-card.json');
  expect(own).toContain(`${server.url}/api/a2a`);
  expect(await card('http://elsewhere.example/.well-known/agent-card.json')).toBe(own);
  expect(await card('http://[/.well-known/agent-card.json')).toContain('cannot be read');
});

test('the client of OpenAI lists models, gets a response and continues it', async () => {
  const client = openai();
  const listed = await Array.fromAsync(await client.models.list());
  expect(listed.map(({ id }) => id)).toEqual(['openhands_fast']);
  const first = await client.responses.create({ model: 'openhands_fast', input: 'Hello' });
  const second = await client.responses.create({
    model: 'openhands_fast',
    input: 'And?',
    previous_response_id: first.id,
  });
  expect([first.output_text, second.output_text]).toEqual(['Yes.', 'Yes.']);
  expect(await answersIn(Object(second).conversation.id as string)).toEqual(['Yes.', 'Yes.']);
});

test('a chat continues in the conversation that its header names, as with the server of OpenHands', async () => {
  const id = crypto.randomUUID();
  const headers = { 'X-OpenHands-ServerConversation-ID': id };
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hello' }];
  for (let count = 0; count < 2; count++) {
    const asked = openai().chat.completions.create({ model: 'openhands_fast', messages }, { headers });
    const { data, response } = await asked.withResponse();
    expect([data.choices[0]?.message.content, response.headers.get('x-openhands-serverconversation-id')]).toEqual([
      'Yes.',
      id,
    ]);
    messages.push({ role: 'assistant', content: 'Yes.' }, { role: 'user', content: 'And?' });
  }
  expect(await answersIn(id)).toEqual(['Yes.', 'Yes.']);
});

test('each answer of OpenAI names its conversation in the header and has its usage, as in OpenHands', async () => {
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hello' }];
  const chats = openai().chat.completions;
  const [first, streamed, response] = await Promise.all([
    chats.create({ model: 'openhands_fast', messages }).withResponse(),
    chats
      .create({ model: 'openhands_fast', messages, stream: true, stream_options: { include_usage: true } })
      .withResponse(),
    openai()
      .responses.create({ model: 'conversation', input: 'Hello', instructions: 'Be brief.', metadata: { of: 'me' } })
      .withResponse(),
  ]);
  const chunks = await Array.fromAsync(streamed.data);
  const ids = [first, streamed, response].map((each) => each.response.headers.get('x-openhands-serverconversation-id'));
  for (const id of ids) expect(await answersIn(String(id))).toEqual(['Yes.']);
  expect(new Set(ids).size).toBe(3);
  const { usage } = first.data;
  expect(usage?.total_tokens).toBeGreaterThan(0);
  expect(usage?.total_tokens).toBe(Number(usage?.prompt_tokens) + Number(usage?.completion_tokens));
  expect(chunks.map((chunk) => chunk.usage?.total_tokens)).toEqual([
    ...chunks.slice(1).map(() => undefined),
    usage?.total_tokens,
  ]);
  expect(response.data).toMatchObject({ instructions: 'Be brief.', metadata: { of: 'me' } });
  expect(response.data.usage).toMatchObject({
    output_tokens: usage?.completion_tokens,
    input_tokens_details: { cached_tokens: expect.any(Number) },
  });
});

test('the client of OpenAI is told of an unknown model and of a wrong key', async () => {
  const asked = openai().responses.create({ model: 'gpt-9', input: 'Hello' });
  await expect(asked).rejects.toMatchObject({ status: 400, message: expect.stringContaining('gpt-9') });
  await expect(openai('wrong').models.list()).rejects.toMatchObject({ status: 401 });
});

test('the transport of useChat begins a chat, and loads it again', async () => {
  const chatId = crypto.randomUUID();
  const transport = new DefaultChatTransport({ api: `${server.url}/api/chat`, headers: keyed() });
  const messages = [{ id: 'first', role: 'user' as const, parts: [{ type: 'text' as const, text: 'Hello' }] }];
  const stream = await transport.sendMessages({
    chatId,
    messages,
    trigger: 'submit-message',
    messageId: undefined,
    abortSignal: undefined,
  });
  const answer = (await Array.fromAsync(readUIMessageStream({ stream }))).at(-1);
  expect(answer?.parts.filter(({ type }) => type === 'text')).toMatchObject([{ text: 'Yes.' }]);
  expect(await transport.reconnectToStream({ chatId })).toBeNull();
  expect((await server.call<readonly object[]>('GET', `/api/chat/${chatId}`)).body).toHaveLength(2);
});

test('the client of AG-UI begins a thread', async () => {
  const agent = new HttpAgent({ url: `${server.url}/api/ag-ui`, threadId: crypto.randomUUID(), headers: keyed() });
  agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: 'Hello' });
  await agent.runAgent();
  expect(agent.messages.map(({ role, content }) => [role, content])).toEqual([
    ['user', 'Hello'],
    ['assistant', 'Yes.'],
  ]);
});

test('the client of A2A finds the agent by its card, which needs no key, and sends with one', async () => {
  const client = await keyedClient(server.url, server.key);
  expect(await client.getAgentCard()).toMatchObject({
    name: 'Librarian',
    description: 'Finds books.',
    supportedInterfaces: [{ url: `${server.url}/api/a2a` }],
  });
  const message = Message.fromJSON({ messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'Hello' }] });
  const task = await client.sendMessage({ tenant: '', message, configuration: undefined, metadata: undefined });
  expect(Object(task).artifacts[0].parts[0].content.value).toBe('Yes.');
  expect((await fetch(`${server.url}/api/a2a`, { method: 'POST', body: '{}' })).status).toBe(401);
});

test('the client of MCP converses by a tool', async () => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  const requestInit = { headers: keyed() };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }));
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === 'converse')?.description).toBe('Finds books.');
  const { structuredContent } = await client.callTool({ name: 'converse', arguments: { message: 'Hello' } });
  expect(structuredContent).toMatchObject({ status: 'done', answer: 'Yes.' });
  await client.close();
});

test('P11: a conversation that one protocol began goes on by the others', async () => {
  const id = crypto.randomUUID();
  const agent = new HttpAgent({ url: `${server.url}/api/ag-ui`, threadId: id, headers: keyed() });
  agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: 'Hello' });
  await agent.runAgent();
  await openai().chat.completions.create({
    model: 'conversation',
    metadata: { conversation: id },
    messages: [{ role: 'user', content: 'And?' }],
  });
  const { body } = await server.call<readonly { role: string }[]>('GET', `/api/chat/${id}`);
  expect(body.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
});

test('protocols that are not named are not served, and there may be none', async () => {
  const one = await ServerHere.start(newFolder(), { CONV_PROTOCOLS: 'mcp' });
  expect((await one.call('GET', '/server_info')).body['protocols']).toEqual(['mcp']);
  expect((await one.call('GET', '/v1/models')).status).toBe(404);
  await one.stop();
  const none = await ServerHere.start(newFolder(), { CONV_PROTOCOLS: 'none' });
  expect((await none.call('GET', '/server_info')).body['protocols']).toEqual([]);
  expect((await none.call('GET', '/.well-known/agent-card.json')).status).toBe(404);
  await none.stop();
});
