import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { Readable } from 'node:stream';

import { createAgUiHandler } from '@conv/ag-ui';
import { createAgent, openaiCompatible } from '@conv/agent';
import { createChatHandler } from '@conv/ai-ui';
import { createConversationFactory, type Conversation } from '@conv/core';
import { local } from '@conv/local';
import { FsStore } from '@conv/persist-fs';
import { fileEditor } from '@conv/tools';

import type { PagePlan } from './page-plan.ts';

// A server of one page and its conversations, in a process that may be killed at any time.
const plan = JSON.parse(process.argv[2] ?? '') as PagePlan;
const agent = createAgent({ model: openaiCompatible('scripted', { baseUrl: plan.model }), tools: [fileEditor()] });
const store = new FsStore({ directory: plan.conversations });
const Conversation = createConversationFactory({ runtimes: [local({ storeAt: () => store })] });
const open = new Map<string, Promise<Conversation>>();

/** Opens a conversation, or begins it. A run that the last process was killed in goes on. */
async function opened(id: string): Promise<Conversation> {
  const { workspace } = plan;
  const confirmationPolicy = { kind: 'AlwaysConfirm' } as const;
  const conversation = await Conversation({
    agent,
    store,
    workspace,
    id,
    confirmationPolicy,
    interruptedRun: 'resume',
  });
  if (conversation.interruptedRun) conversation.resumeRun().catch(tell);
  return conversation;
}

async function conversation(id: string): Promise<Conversation> {
  const opening = open.get(id) ?? opened(id);
  open.set(id, opening);
  opening.catch(() => open.delete(id));
  return opening;
}

function tell(error: unknown): void {
  process.stderr.write(`${String(error)}\n`);
}

const chat = createChatHandler({ conversation });
const agUi = createAgUiHandler({ conversation });

async function answer(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname.startsWith('/chat')) return chat(request);
  if (pathname.startsWith('/agent')) return agUi(request);
  if (pathname === '/kill') process.kill(process.pid, 'SIGKILL');
  const [file, type] = pathname === '/page.js' ? ['page.js', 'text/javascript'] : ['page.html', 'text/html'];
  return new Response(await readFile(join(plan.page, file)), { headers: { 'content-type': type } });
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = request;
  const left = new AbortController();
  response.once('close', () => left.abort());
  const body = method === 'POST' ? { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' as const } : {};
  const init = { method, headers: headers as Record<string, string>, signal: left.signal, ...body };
  const { status, headers: told, body: parts } = await answer(new Request(`http://localhost${url}`, init));
  response.writeHead(status, Object.fromEntries(told));
  for await (const part of parts ?? []) response.write(part);
  response.end();
}

createServer((request, response) => void serve(request, response).catch(tell)).listen(plan.port, '127.0.0.1', () => {
  process.stdout.write('listens\n');
});
