import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Agent, JsonObject } from '@conv/core';
import { ModelScript, type ConversationScript } from '@conv/conformance';
import { CAPABILITIES } from '@conv/openhands/rest';
import { RemoteWorkspace } from '@conv/remote';
import { createSecretVault, fernetCipher } from '@conv/secrets';
import { agentServer, type AgentServerOptions } from '@conv/server';
import { createStuckDetector } from '@conv/stuck';
import { KillableStore, keptPort } from '@conv/testing-harness';
import { fastify, type FastifyInstance } from 'fastify';

/** A server with a scripted agent, which can be started again on what it has stored. */
export class ServerUnderTest {
  readonly folder: string;
  readonly #agent: Agent;
  readonly #sessionKeys: readonly string[];
  readonly store: KillableStore = new KillableStore();
  /** The number of requests so far. */
  requests = 0;
  readonly #models = new Map<string, ModelScript>();
  readonly #cipher = fernetCipher('conformance');
  #app: FastifyInstance | undefined;
  #port = 0;
  #stopping = false;
  #dropUnused: () => void = () => {};

  private constructor(folder: string, agent: Agent, sessionKeys: readonly string[]) {
    this.folder = folder;
    this.#agent = agent;
    this.#sessionKeys = sessionKeys;
  }

  /** A server in a folder of its own. */
  static async start(agent: Agent, sessionKeys: readonly string[] = []): Promise<ServerUnderTest> {
    const server = new ServerUnderTest(await mkdtemp(join(tmpdir(), 'conv-remote-')), agent, sessionKeys);
    await server.start();
    return server;
  }

  /** Listens, where it did before. */
  async start(): Promise<void> {
    const app = fastify({ pluginTimeout: 0 });
    app.addHook('onRequest', async () => void this.requests++);
    const options: AgentServerOptions = {
      store: this.store,
      sessionKeys: this.#sessionKeys,
      persistenceDir: join(this.folder, 'conversations'),
      handoverGrace: 0,
      agents: { revive: async ({ llm }: JsonObject) => this.#agentWith(llm) },
      models: async ({ model }: JsonObject) => this.#models.get(model as string) ?? refuse(model),
      cipher: this.#cipher,
      secrets: createSecretVault,
      stuckDetector: createStuckDetector(),
      report: () => {},
      workspaceHost: { workingDirectory: this.folder, environment: { PATH: process.env['PATH'] ?? '' } },
    };
    await app.register(agentServer(options));
    if (!app.hasRoute({ method: 'GET', url: '/server_info' }))
      app.get('/server_info', async () => ({ version: '1.43.1', capabilities: Object.values(CAPABILITIES) }));
    this.#port ||= await keptPort();
    await app.listen({ host: '127.0.0.1', port: this.#port });
    this.#endUnused(app);
    this.#app = app;
  }

  /** A model of another name, as the wire describes it. */
  model(turns: ConversationScript['turns']): JsonObject {
    const name = `scripted-${this.#models.size}`;
    this.#models.set(name, new ModelScript(turns));
    return { model: name, usage_id: name };
  }

  /** Is gone as a process is that was killed; what it had not stored is lost. */
  async kill(): Promise<void> {
    await this.store.kill();
    this.#app?.server.closeAllConnections();
    this.#app?.server.close();
    this.#port = 0;
    await this.start();
  }

  #agentWith(llm: unknown): Agent {
    const script = this.#models.get((llm as JsonObject | undefined)?.['model'] as string);
    return script ? this.#agent.withModel(script) : this.#agent;
  }

  /** The workspace for clients of this server. */
  get workspace(): RemoteWorkspace {
    return new RemoteWorkspace({ host: `127.0.0.1:${this.#port}`, workingDir: join(this.folder, 'work') });
  }

  /** Browsers connect ahead of requests, and Node waits for the first request of a connection. So those end when the server does. */
  #endUnused({ server }: FastifyInstance): void {
    const unused = new Set<Socket>();
    server.on('connection', (socket) => {
      if (this.#stopping) socket.destroy();
      unused.add(socket);
      socket.once('close', () => unused.delete(socket));
    });
    server.on('request', ({ socket }) => unused.delete(socket));
    server.on('upgrade', ({ socket }) => unused.delete(socket));
    this.#dropUnused = () => unused.forEach((socket) => socket.destroy());
  }

  /** Ends as it should: runs are left to the next start, everything is stored. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const closed = this.#app?.close();
    this.#dropUnused();
    await closed;
    this.#stopping = false;
  }

  /** Ends it and removes what it stored. */
  async dispose(): Promise<void> {
    await this.stop();
    await this.store.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function refuse(model: unknown): never {
  throw new TypeError(`there is no model ${JSON.stringify(model)}`);
}
