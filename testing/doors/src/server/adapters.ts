import { once } from 'node:events';

import { createA2AHandler } from '@conv/a2a';
import { connectEditor } from '@conv/acp';
import { createAgUiHandler } from '@conv/ag-ui';
import { createChatHandler } from '@conv/ai-ui';
import type { Conversation } from '@conv/core';
import { createMcpHandler } from '@conv/mcp';
import { createOpenAIHandler } from '@conv/openai';
import { openRemoteConversation, RemoteWorkspace } from '@conv/remote';
import type { FastifyInstance } from 'fastify';
import { WebSocketServer } from 'ws';

import { KEY } from './server-plan.ts';
import { socketStream } from './socket-stream.ts';

/** The path of the socket of editors. */
export const EDITOR_PATH = '/editor';

/** The handlers of protocol adapters, as an embedder of the server mounts them. They follow conversations of this server. */
export class Adapters {
  readonly #port: () => number;
  readonly #open = new Map<string, Promise<Conversation>>();
  readonly #editors = new WebSocketServer({ noServer: true, perMessageDeflate: false });

  constructor(port: () => number) {
    this.#port = port;
  }

  mount(app: FastifyInstance): void {
    const conversation = (id: string): Promise<Conversation> => this.#conversation(id);
    mountHandler(app, '/chat*', createChatHandler({ conversation }));
    mountHandler(app, '/ag-ui*', createAgUiHandler({ conversation }));
    const card = { name: 'Story', description: 'Tells stories.' };
    mountHandler(app, '/a2a*', createA2AHandler({ card, conversation, create: refuse }));
    mountHandler(app, '/mcp', createMcpHandler({ conversation }));
    mountHandler(app, '/v1/*', createOpenAIHandler({ conversation, create: refuse }));
    app.server.on('upgrade', (request, socket, head) => {
      if (request.url !== EDITOR_PATH) return;
      this.#editors.handleUpgrade(request, socket, head, (editor) => {
        connectEditor(socketStream(editor), { open: conversation, create: refuse });
      });
    });
  }

  async close(): Promise<void> {
    for (const editor of this.#editors.clients) editor.terminate();
    for (const open of this.#open.values()) await open.then((conversation) => conversation.close()).catch(() => {});
  }

  #conversation(id: string): Promise<Conversation> {
    const open = this.#open.get(id);
    if (open) return open;
    const workspace = new RemoteWorkspace({ host: `http://127.0.0.1:${this.#port()}`, apiKey: KEY, workingDir: '.' });
    const opening = openRemoteConversation({}, { workspace, id, create: 'never' });
    this.#open.set(id, opening);
    opening.catch(() => this.#open.delete(id));
    return opening;
  }
}

/** Mounts a handler of web requests. */
function mountHandler(app: FastifyInstance, url: string, handle: (request: Request) => Promise<Response>): void {
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url,
    handler: async (request, reply) => {
      const left = new AbortController();
      void once(reply.raw, 'close').then(() => left.abort());
      const body = request.body === undefined || request.body === null ? {} : { body: JSON.stringify(request.body) };
      const { method } = request;
      const headers = request.headers as Record<string, string>;
      const asked = new Request(`http://${headers['host']}${request.url}`, {
        method,
        headers,
        signal: left.signal,
        ...body,
      });
      return handle(asked);
    },
  });
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('expected the id of a conversation of this server, found a request for a new one'));
}
