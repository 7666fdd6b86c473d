import { once } from 'node:events';

import { createA2AHandler } from '@conv/a2a';
import { connectEditor } from '@conv/acp';
import { createAgUiHandler } from '@conv/ag-ui';
import { createChatHandler } from '@conv/ai-ui';
import type { Conversation } from '@conv/core';
import { createOpenAIHandler } from '@conv/openai';
import { openRemoteConversation, RemoteWorkspace } from '@conv/remote';
import { nodeBody } from '@conv/server/protocols';
import type { FastifyInstance } from 'fastify';
import { WebSocketServer, type WebSocket } from 'ws';

type Handler = (request: Request) => Promise<Response>;

/** Opens a conversation for the adapters. */
export type OpenConversation = (id: string) => Promise<Conversation>;

/** Returns how adapters open conversations as clients of this server. */
export function openedRemotely(port: () => number): OpenConversation {
  const opened = new Map<string, Promise<Conversation>>();
  return (id) => {
    const known = opened.get(id);
    if (known) return known;
    const workspace = new RemoteWorkspace({ host: `http://127.0.0.1:${port()}`, workingDir: '.' });
    const opening = openRemoteConversation({}, { workspace, id, create: 'never' });
    opened.set(id, opening);
    return opening;
  };
}

/** Mounts the adapters. */
export function mountProtocols(app: FastifyInstance, conversation: OpenConversation): void {
  const card = { name: 'Bench', description: 'Answers in pieces.' };
  const handlers: Readonly<Record<string, Handler>> = {
    '/api/chat*': createChatHandler({ conversation }),
    '/api/ag-ui*': createAgUiHandler({ conversation }),
    '/api/a2a*': createA2AHandler({ card, conversation, create: refuse }),
    '/v1/*': createOpenAIHandler({ conversation, create: refuse }),
  };
  for (const [url, handle] of Object.entries(handlers)) mount(app, url, handle);
  const editors = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  app.server.on('upgrade', (request, socket, head) => {
    if (request.url === '/editor')
      editors.handleUpgrade(request, socket, head, (editor) => {
        connectEditor(streamOf(editor), { open: conversation, create: refuse });
      });
  });
}

function mount(app: FastifyInstance, url: string, handle: Handler): void {
  app.route({
    method: ['GET', 'POST'],
    url,
    handler: async (request, reply) => {
      const left = new AbortController();
      void once(reply.raw, 'close').then(() => left.abort());
      const body = request.body === undefined || request.body === null ? {} : { body: JSON.stringify(request.body) };
      const headers = request.headers as Record<string, string>;
      const at = `http://${headers['host']}${request.url}`;
      const answer = await handle(new Request(at, { method: request.method, headers, signal: left.signal, ...body }));
      void reply.code(answer.status).headers(Object.fromEntries(answer.headers));
      return reply.send(nodeBody(answer) ?? undefined);
    },
  });
}

function streamOf(socket: WebSocket): Parameters<typeof connectEditor>[0] {
  const readable = new ReadableStream({
    start: (controller) => {
      socket.on('message', (data) => controller.enqueue(JSON.parse((data as Buffer).toString())));
      socket.once('close', () => controller.close());
      socket.on('error', () => socket.terminate());
    },
  });
  return { readable, writable: new WritableStream({ write: (message) => socket.send(JSON.stringify(message)) }) };
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('expected the id of a conversation of this server'));
}
