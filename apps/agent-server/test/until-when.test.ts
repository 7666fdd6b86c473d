import { HttpAgent } from '@ag-ui/client';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeEach, expect, test } from 'vitest';

import { askedStage, type AskedStage } from './asked-stage.ts';
import { Editor } from './editor/editor.ts';

const HOUR = 3_600_000;
const KEY = { 'x-session-api-key': 'ann' };

let stage: AskedStage;
/** The time at which the call is rejected unless a person decides. */
let end: string;

beforeEach(async () => {
  stage = await askedStage({ approvalTimeout: HOUR });
  const { conv_asked: asked } = stage.ann.state.extra.meta;
  end = new Date(Date.parse(String(Object(asked).times[stage.call])) + HOUR).toISOString();
});

test('P10: a client of AG-UI is told until when a call waits, and may still answer', async () => {
  const { url, id, call } = stage;
  const agent = new HttpAgent({ url: `${url}/api/ag-ui`, threadId: id, headers: KEY });
  await agent.runAgent();
  expect(agent.pendingInterrupts).toMatchObject([{ id: call, expiresAt: end }]);
  await agent.runAgent({ resume: [{ interruptId: call, status: 'resolved', payload: { approved: true } }] });
  expect(agent.messages.at(-1)?.content).toBe('Done.');
});

test('P10: a client of A2A is told until when a call waits', async () => {
  const { url, id, event, call } = stage;
  const body = { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: `${id}_${event}` } };
  const headers = { ...KEY, 'content-type': 'application/json', 'a2a-version': '1.0' };
  const answer = await fetch(`${url}/api/a2a`, { method: 'POST', headers, body: JSON.stringify(body) });
  const { result } = (await answer.json()) as { result: { status: { message: { parts: { data?: object }[] } } } };
  expect(result.status.message.parts.flatMap(({ data }) => data ?? [])).toMatchObject([{ call, expiresAt: end }]);
});

test('P10: the person at a client of MCP is told until when a call waits', async () => {
  const { url, id, event } = stage;
  const asked: string[] = [];
  const options = { capabilities: { elicitation: {} }, versionNegotiation: { mode: { pin: '2026-07-28' } } };
  const client = new Client({ name: 'test', version: '1' }, options);
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params.message);
    return { action: 'cancel' };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers: KEY } }));
  await client.callTool({ name: 'read_answer', arguments: { task: `${id}.${event}` } });
  await client.close();
  expect(asked).toEqual([expect.stringContaining(`rejected at ${end}`)]);
});

test('P10: the person at an editor and in useChat is told until when a call waits', async () => {
  const { url, ann, id } = stage;
  const editor = new Editor({ open: async () => ann, create: () => Promise.reject(new Error('no')) });
  await editor.load(id);
  await editor.question();
  expect(JSON.stringify(editor.updates)).toContain(`rejected at ${end}`);
  const chat = await fetch(`${url}/api/chat/${id}/stream`, { headers: { ...KEY, 'last-event-id': 'none' } });
  expect(await chat.text()).toContain(`rejected at ${end}`);
});

test('P10: a call that waits without a limit has no end', async () => {
  const { url, id, call } = await askedStage();
  const agent = new HttpAgent({ url: `${url}/api/ag-ui`, threadId: id, headers: KEY });
  await agent.runAgent();
  expect(agent.pendingInterrupts.map((interrupt) => [interrupt.id, interrupt.expiresAt])).toEqual([[call, undefined]]);
});
