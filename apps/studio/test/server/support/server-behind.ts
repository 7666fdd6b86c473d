import type { Agent, AgentFactory } from '@conv/core';
import { MemoryStore } from '@conv/core/store';
import { createSecretVault } from '@conv/secrets';
import { agentServer } from '@conv/server';
import { createStuckDetector } from '@conv/stuck';
import { keptPort } from '@conv/testing-harness';
import { fastify, type FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';

import { newFolder } from './folders.ts';

/** An agent server with a key, for studio to stand in front of. It can be stopped and started again at its address. */
export class ServerBehind {
  static readonly key = 'the-key-of-the-server-behind-0123456789';
  readonly folder: string = newFolder();
  readonly store: MemoryStore = new MemoryStore();
  readonly #agents: AgentFactory;
  #app: FastifyInstance | undefined;
  #port = 0;
  /** Headers of the requests and upgrades that arrived. */
  readonly arrived: Record<string, unknown>[] = [];

  private constructor(agents: AgentFactory) {
    this.#agents = agents;
  }

  /** Starts a server, which ends after the test. */
  static async start(agent?: Agent): Promise<ServerBehind> {
    const server = new ServerBehind({ revive: async () => agent });
    await server.start();
    onTestFinished(() => server.stop());
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    const app = fastify({ pluginTimeout: 0, forceCloseConnections: true });
    app.server.on('request', ({ headers }) => this.arrived.push({ ...headers }));
    app.server.on('upgrade', ({ headers, url }) => this.arrived.push({ ...headers, url }));
    app.get('/endless', async (_request, reply) => {
      reply.hijack();
      reply.raw.write('begun');
      reply.raw.on('close', () => this.arrived.push({ ended: 'endless' }));
    });
    const parts = { secrets: createSecretVault, stuckDetector: createStuckDetector(), agents: this.#agents };
    const own = { store: this.store, persistenceDir: this.folder, sessionKeys: [ServerBehind.key], handoverGrace: 0 };
    const workspaceHost = { workingDirectory: this.folder, environment: {} };
    await app.register(agentServer({ ...parts, ...own, workspaceHost, report: () => {} }));
    this.#port ||= await keptPort();
    await app.listen({ host: '127.0.0.1', port: this.#port });
    this.#app = app;
  }

  async stop(): Promise<void> {
    await this.#app?.close();
    this.#app = undefined;
  }
}
