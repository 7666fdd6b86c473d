import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { HttpAgent } from '@ag-ui/client';
import { ModelScript, ScriptedAgent } from '@conv/conformance';
import { MemoryStore } from '@conv/core/store';
import { defineTool, text } from '@conv/core/tool';
import { openRemoteConversation, RemoteWorkspace, type RemoteConversation } from '@conv/remote';
import { agentServer } from '@conv/server';
import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client';
import { fastify } from 'fastify';
import OpenAI from 'openai';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

import { PROTOCOLS } from '../src/protocols/protocol-names.ts';
import { servedProtocols } from '../src/protocols/served-protocols.ts';
import { Editor } from './editor/editor.ts';
import { calls, confirmationPolicy } from './openai-api.ts';

interface Stage {
  readonly url: string;
  readonly id: string;
  /** The message of the user. */
  readonly event: string;
  /** The call that ann was asked about, and bob decided on. */
  readonly call: string;
  readonly ann: RemoteConversation;
}

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ words: z.string() }),
  execute: ({ words }) => text(words),
});

let stage: Stage;

/** A server with keys of ann and bob. What waits in a conversation of ann, bob has decided on. */
async function decided(approved: boolean): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'conv-decided-'));
  const script = new ModelScript([calls('echo', 'hi'), { text: 'Done.' }]);
  const agent = new ScriptedAgent({ script, tools: [echo] });
  const app = fastify({ pluginTimeout: 0, forceCloseConnections: true });
  await app.register(
    agentServer({
      store: new MemoryStore(),
      persistenceDir: folder,
      agents: { revive: async () => agent },
      principal: (name) => ({ name, scopes: ['read', 'run', 'approve', 'admin'] }),
      protocols: servedProtocols(PROTOCOLS),
      report: () => {},
    }),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const openFor = async (apiKey: string, id?: string): Promise<RemoteConversation> => {
    const workspace = new RemoteWorkspace({ host: url, apiKey, workingDir: folder });
    return openRemoteConversation(
      {},
      id === undefined
        ? { workspace, agent: agent.describe(), confirmationPolicy }
        : { workspace, id, create: 'never' },
    );
  };
  const ann = await openFor('ann');
  const bob = await openFor('bob', ann.id);
  onTestFinished(async () => {
    await Promise.all([ann.close(), bob.close()]);
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });
  const { id: event } = await ann.sendMessage('Go');
  await ann.run();
  const call = String(ann.state.pendingActions[0]?.id);
  await (approved ? bob.approve([call]) : bob.reject([call], 'no'));
  await bob.run();
  return { url, id: ann.id, event, call, ann };
}

const KEY = { 'x-session-api-key': 'ann' };

beforeEach(async () => {
  stage = await decided(true);
});

test('P10: useChat is told who approved, as a data part', async () => {
  const { url, id, call } = stage;
  const messages = (await (await fetch(`${url}/api/chat/${id}`, { headers: KEY })).json()) as { parts: object[] }[];
  const part = messages.flatMap(({ parts }) => parts).find((each) => Object(each).type === 'data-decision');
  expect(part).toMatchObject({ data: { toolCallId: call, by: 'bob' } });
});

test('P10: a client of AG-UI is told who approved, in the metadata of the result', async () => {
  const { url, id, call } = stage;
  const agent = new HttpAgent({ url: `${url}/api/ag-ui`, threadId: id, headers: KEY });
  await agent.runAgent();
  const result = agent.messages.find((message) => message.role === 'tool' && message.toolCallId === call);
  expect(Object(result).metadata).toEqual({ 'conv/decidedBy': 'bob' });
});

test('P10: a client of OpenAI is told who approved, in the metadata of the response', async () => {
  const { url, id, event, call } = stage;
  const client = new OpenAI({ apiKey: 'ann', baseURL: `${url}/v1`, maxRetries: 0 });
  const response = await client.responses.retrieve(`resp_${`${id}_${event}`.replaceAll('-', '')}`);
  expect(response.metadata).toEqual({ [`decided_by_${call}`]: 'bob' });
});

test('P10: a client of A2A is told who approved, in the data part of the call', async () => {
  const { url, id, event, call } = stage;
  const body = { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: `${id}_${event}` } };
  const headers = { ...KEY, 'content-type': 'application/json', 'a2a-version': '1.0' };
  const answer = await fetch(`${url}/api/a2a`, { method: 'POST', headers, body: JSON.stringify(body) });
  const { result } = (await answer.json()) as { result: { history: { parts: { data?: object }[] }[] } };
  const told = result.history.flatMap(({ parts }) => parts).find(({ data }) => Object(data).call === call);
  expect(told?.data).toMatchObject({ outcome: 'output', decidedBy: 'bob' });
});

test('P10: a client of MCP is told who approved, in the structured result', async () => {
  const { url, id, event, call } = stage;
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers: KEY } }));
  const asked = { name: 'read_answer', arguments: { task: `${id}.${event}` } };
  const { structuredContent } = (await client.callTool(asked)) as CallToolResult;
  await client.close();
  expect(structuredContent).toMatchObject({ decisions: [{ call, tool: 'echo', by: 'bob' }] });
});

test.each([true, false])('P10: an editor is told who decided, in the metadata of the call: %s', async (approved) => {
  const { ann, id, call } = approved ? stage : await decided(false);
  const editor = new Editor({ open: async () => ann, create: () => Promise.reject(new Error('no')) });
  await editor.load(id);
  const told = editor.updates.filter((update) => 'toolCallId' in update && update.toolCallId === call);
  expect(told.at(-1)?._meta).toEqual({ 'conv/decidedBy': 'bob' });
});
