import { HttpAgent } from '@ag-ui/client';
import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client';
import OpenAI from 'openai';
import { beforeEach, expect, test } from 'vitest';

import { askedStage, type AskedStage } from './asked-stage.ts';
import { Editor } from './editor/editor.ts';

let stage: AskedStage;

/** A conversation of ann in which bob has decided on what waited. */
async function decided(approved: boolean): Promise<AskedStage> {
  const asked = await askedStage();
  const { bob, call } = asked;
  await (approved ? bob.approve([call]) : bob.reject([call], 'no'));
  await bob.run();
  return asked;
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
