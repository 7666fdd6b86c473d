// A conversation as a tool of MCP: the published client in front of the handler. The client's person approves an edit, and another client reads
// the answer again by the id of its task, which is a place in the log.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import process from 'node:process';

import { createAgent } from '@conv/agent';
import { createConversationFactory } from '@conv/core';
import { local } from '@conv/local';
import { createMcpHandler } from '@conv/mcp';
import { FsStore } from '@conv/persist-fs';
import { call, say } from '@conv/testing-model-server';
import { fileEditor } from '@conv/tools';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import { rehearse } from './support/rehearse.ts';

await using rehearsal = await rehearse([
  call('file_editor', { command: 'create', path: 'notes.txt', file_text: 'buy milk\n', security_risk: 'MEDIUM' }),
  say('Your note is written.'),
]);

const { workspace, conversations: directory, model } = rehearsal;
const Conversation = createConversationFactory({ runtimes: [local({ storeAt: () => new FsStore({ directory }) })] });
const agent = createAgent({ model, tools: [fileEditor()] });
await using conversation = await Conversation({ agent, workspace, confirmationPolicy: { kind: 'AlwaysConfirm' } });
const handle = createMcpHandler({ conversation: async () => conversation, create: async () => conversation });

/** Connects a client. Its requests come to the handler without a port. */
async function connected(): Promise<Client> {
  const client = new Client(
    { name: 'example', version: '1' },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'auto' } },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    process.stdout.write(`${params.message}\nYes.\n`);
    return { action: 'accept', content: { approved: true } };
  });
  const ask = (url: string | URL, init?: RequestInit): Promise<Response> => handle(new Request(url, init));
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch: ask }));
  return client;
}

const client = await connected();
const answer = await client.callTool({ name: 'converse', arguments: { message: 'Note: buy milk' } });
process.stdout.write(`${JSON.stringify(answer.structuredContent)}\n`);
assert.equal(await readFile(`${workspace}/notes.txt`, 'utf8'), 'buy milk\n');
await client.close();

process.stdout.write('\nAnother client reads the answer.\n\n');
const other = await connected();
const { task } = answer.structuredContent as { readonly task: string };
const again = await other.callTool({ name: 'read_answer', arguments: { task } });
process.stdout.write(`${JSON.stringify(again.structuredContent)}\n`);
assert.deepEqual(again.structuredContent, answer.structuredContent);
await other.close();
