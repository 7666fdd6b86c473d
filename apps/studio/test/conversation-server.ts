import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgentFactory } from '@conv/agent';
import type { ConversationStore } from '@conv/core/store';
import { agentServer } from '@conv/server';
import { keptPort } from '@conv/testing-harness';
import { fastify, type FastifyInstance } from 'fastify';
import { type BuiltPage, buildPage } from './build-page.ts';

/** The policy of studio's page. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A real agent server with the page of the tests at its root. It can be killed and started again where it was. */
export class ConversationServer implements AsyncDisposable {
  readonly #store: ConversationStore;
  readonly #folder: string;
  readonly #page: BuiltPage;
  readonly #connected = new Set<Socket>();
  #app: FastifyInstance | undefined;
  #port = 0;

  private constructor(store: ConversationStore, folder: string, page: BuiltPage) {
    this.#store = store;
    this.#folder = folder;
    this.#page = page;
  }

  /** Starts a server over a store; the caller closes the store. */
  static async start(store: ConversationStore): Promise<ConversationServer> {
    const folder = await mkdtemp(join(tmpdir(), 'conv-studio-'));
    const server = new ConversationServer(store, folder, await buildPage());
    await server.start();
    return server;
  }

  /** The address without a slash at its end. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The folder for the work of agents. */
  get folder(): string {
    return this.#folder;
  }

  /** Listens, where it did before. */
  async start(): Promise<void> {
    const app = fastify({ pluginTimeout: 0, forceCloseConnections: true });
    await app.register(
      agentServer({
        store: this.#store,
        persistenceDir: join(this.#folder, 'conversations'),
        agents: createAgentFactory(),
        handoverGrace: 0,
        report: () => undefined,
      }),
    );
    const serve = (type: string, body: () => string) => async (): Promise<Response> =>
      new Response(body(), { headers: { 'content-type': type, 'content-security-policy': POLICY } });
    app.get(
      '/page.js',
      serve('text/javascript; charset=utf-8', () => this.#page.script),
    );
    app.get(
      '/page.css',
      serve('text/css; charset=utf-8', () => this.#page.style),
    );
    for (const path of ['/c/*', '/compare'])
      app.get(
        path,
        serve('text/html; charset=utf-8', () => this.#page.html),
      );
    app.server.on('connection', (socket) => {
      this.#connected.add(socket);
      socket.once('close', () => this.#connected.delete(socket));
    });
    this.#port ||= await keptPort();
    await app.listen({ host: '127.0.0.1', port: this.#port });
    this.#app = app;
  }

  /** Cuts all connections, those of sockets too; the server stays. */
  cut(): void {
    for (const socket of this.#connected) socket.destroy();
  }

  /** Ends the server, and all connections with it. */
  async stop(): Promise<void> {
    const closed = this.#app?.close();
    this.cut();
    await closed;
    this.#app = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
