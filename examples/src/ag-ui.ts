// A conversation behind AG-UI: the published client of the protocol in front of a handler on a real port. A person approves an edit,
// and another client, which loads the thread, shows all of it.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';

import { HttpAgent } from '@ag-ui/client';
import { createAgUiHandler } from '@conv/ag-ui';
import { createAgent } from '@conv/agent';
import { createConversationFactory } from '@conv/core';
import { local } from '@conv/local';
import { FsStore } from '@conv/persist-fs';
import { call, say } from '@conv/testing-model-server';
import { fileEditor } from '@conv/tools';

import { rehearse } from './support/rehearse.ts';

await using rehearsal = await rehearse([
  call('file_editor', { command: 'create', path: 'notes.txt', file_text: 'buy milk\n', security_risk: 'MEDIUM' }),
  say('Your note is written.'),
]);

const { workspace, conversations: directory, model } = rehearsal;
const Conversation = createConversationFactory({ runtimes: [local({ storeAt: () => new FsStore({ directory }) })] });
const agent = createAgent({ model, tools: [fileEditor()] });
await using conversation = await Conversation({ agent, workspace, confirmationPolicy: { kind: 'AlwaysConfirm' } });
const handle = createAgUiHandler({ conversation: async () => conversation });

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = request;
  const body = { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' as const };
  const init = { method, headers: headers as Record<string, string>, ...body };
  const answer = await handle(new Request(`http://localhost${url}`, init));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  for await (const part of answer.body ?? []) response.write(part);
  response.end();
}

await using server = createServer((request, response) => void serve(request, response));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/agent`;

const page = new HttpAgent({ url, threadId: conversation.id });
page.subscribe({ onTextMessageContentEvent: ({ event }) => void process.stdout.write(event.delta) });
page.addMessage({ id: crypto.randomUUID(), role: 'user', content: 'Note: buy milk' });
await page.runAgent();
const resume = page.pendingInterrupts.map(({ id, message }) => {
  process.stdout.write(`${message} Yes.\n`);
  return { interruptId: id, status: 'resolved' as const, payload: { approved: true } };
});
assert.equal(resume.length, 1);
await page.runAgent({ resume });
assert.equal(await readFile(`${workspace}/notes.txt`, 'utf8'), 'buy milk\n');
assert.equal(page.state.conversation.status, 'finished');

process.stdout.write('\n\nAnother page loads the thread.\n\n');
const other = new HttpAgent({ url, threadId: conversation.id });
await other.runAgent();
const said = ({ messages }: HttpAgent): readonly string[] =>
  messages.map(({ role, content }) => `${role}: ${JSON.stringify(content)}`);
process.stdout.write(`${said(other).join('\n')}\n`);
assert.deepEqual(said(other), said(page));
