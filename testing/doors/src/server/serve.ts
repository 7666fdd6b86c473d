import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { createChatHandler } from '@conv/ai-ui';
import type { Conversation } from '@conv/core';
import { FsStore } from '@conv/persist-fs';
import { openRemoteConversation, RemoteWorkspace } from '@conv/remote';
import { agentServer } from '@conv/server';
import { fastify, type FastifyInstance } from 'fastify';

import { storyAgent } from '../story/story-agent.ts';
import { KEY, type ServerPlan } from './server-plan.ts';

/** A server that listens. */
export interface Serving {
  readonly port: number;
  close(): Promise<void>;
}

/** Milliseconds after which another server takes over what a dead one owned. */
const LEASE = 1000;

/** Serves conversations through every door: the agent server, and the handlers of adapters over it. */
export async function serve({ directory, port, fleet }: ServerPlan): Promise<Serving> {
  const app = fastify({ forceCloseConnections: true });
  const store = new FsStore({ directory, mirror: 'deferred', ...(fleet ? { leaseTimeout: LEASE } : {}) });
  await app.register(
    agentServer({
      store,
      persistenceDir: join(directory, 'files'),
      agents: { revive: async () => storyAgent },
      sessionKeys: [KEY],
      maxConcurrentRuns: 100,
      handoverGrace: 0,
      ...(fleet
        ? {
            fleet: {
              url: `http://127.0.0.1:${port}`,
              peers: ['http://127.0.0.1:*'],
              key: 'the key of the fleet',
              scanInterval: 100,
            },
          }
        : {}),
      report: (error, about) => void process.stderr.write(`${JSON.stringify(about)} ${String(error)}\n`),
    }),
  );
  const adapters = new Adapters(() => (app.server.address() as AddressInfo).port);
  adapters.mount(app);
  await app.listen({ host: '127.0.0.1', port });
  return {
    port: (app.server.address() as AddressInfo).port,
    close: async () => {
      await adapters.close();
      await app.close();
      await store.close();
    },
  };
}

/** The handlers of protocol adapters, as an embedder of the server mounts them. They follow conversations of this server. */
class Adapters {
  readonly #port: () => number;
  readonly #open = new Map<string, Promise<Conversation>>();

  constructor(port: () => number) {
    this.#port = port;
  }

  mount(app: FastifyInstance): void {
    const chat = createChatHandler({ conversation: (id) => this.#conversation(id) });
    app.route({
      method: ['GET', 'POST', 'DELETE'],
      url: '/chat*',
      handler: async (request, reply) => {
        const left = new AbortController();
        void once(reply.raw, 'close').then(() => left.abort());
        const body = request.body === undefined || request.body === null ? {} : { body: JSON.stringify(request.body) };
        const { method, url } = request;
        const headers = request.headers as Record<string, string>;
        const asked = new Request(`http://localhost${url}`, { method, headers, signal: left.signal, ...body });
        return chat(asked);
      },
    });
  }

  async close(): Promise<void> {
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
