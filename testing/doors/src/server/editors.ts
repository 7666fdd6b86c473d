import { connectEditor } from '@conv/acp';
import type { Conversation } from '@conv/core';
import { openRemoteConversation, RemoteWorkspace } from '@conv/remote';
import type { FastifyInstance } from 'fastify';
import { WebSocketServer } from 'ws';

import { KEY } from './server-plan.ts';
import { socketStream } from './socket-stream.ts';

/** The path of the socket of editors. */
export const EDITOR_PATH = '/editor';

/** The sessions of editors, which `conv acp` serves over standard input elsewhere. They follow conversations of this server. */
export class Editors {
  readonly #port: () => number;
  readonly #open = new Map<string, Promise<Conversation>>();
  readonly #editors = new WebSocketServer({ noServer: true, perMessageDeflate: false });

  constructor(port: () => number) {
    this.#port = port;
  }

  mount(app: FastifyInstance): void {
    const open = (id: string): Promise<Conversation> => this.#conversation(id);
    app.server.on('upgrade', (request, socket, head) => {
      if (request.url !== EDITOR_PATH) return;
      this.#editors.handleUpgrade(request, socket, head, (editor) => {
        connectEditor(socketStream(editor), { open, create: refuse });
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

function refuse(): Promise<never> {
  return Promise.reject(new Error('expected the id of a conversation of this server, found a request for a new one'));
}
