import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  applicableCases,
  conversationConformance,
  ModelScript,
  ScriptedAgent,
  type ConversationScript,
  type ConversationUnderTest,
} from '@conv/core/conformance';
import type { Agent, JsonObject } from '@conv/core';
import { CAPABILITIES } from '@conv/protocol';
import { openRemoteConversation, RemoteWorkspace, type RemoteConversation } from '@conv/remote';
import type { RemoteConversationOptions } from '@conv/remote';
import { createSecretVault, fernetCipher } from '@conv/secrets';
import { agentServer, type AgentServerOptions } from '@conv/server';
import { createStuckDetector } from '@conv/stuck';
import { fastify, type FastifyInstance } from 'fastify';
import { test } from 'vitest';

import { KillableStore } from './killable-store.ts';

/** A server with a scripted agent, which can be started again on what it has stored. */
class ServerUnderTest {
  readonly folder: string;
  readonly #agent: ScriptedAgent;
  readonly #store = new KillableStore();
  readonly #models = new Map<string, ModelScript>();
  readonly #cipher = fernetCipher('conformance');
  #app: FastifyInstance | undefined;
  #port = 0;

  constructor(folder: string, agent: ScriptedAgent) {
    this.folder = folder;
    this.#agent = agent;
  }

  async start(): Promise<void> {
    const app = fastify();
    const options: AgentServerOptions = {
      store: this.#store,
      persistenceDir: join(this.folder, 'conversations'),
      agents: { revive: async ({ llm }: JsonObject) => this.#agentWith(llm) },
      models: async ({ model }: JsonObject) => this.#models.get(model as string) ?? refuse(model),
      cipher: this.#cipher,
      secrets: createSecretVault,
      stuckDetector: createStuckDetector(),
      report: () => {},
    };
    await app.register(agentServer(options));
    if (!app.hasRoute({ method: 'GET', url: '/server_info' }))
      app.get('/server_info', async () => ({ version: '1.43.1', capabilities: Object.values(CAPABILITIES) }));
    await app.listen({ host: '127.0.0.1', port: this.#port });
    this.#app = app;
    this.#port = (app.server.address() as AddressInfo).port;
  }

  /** A model of another name, as the wire describes it. */
  model(turns: ConversationScript['turns']): JsonObject {
    const name = `scripted-${this.#models.size}`;
    this.#models.set(name, new ModelScript(turns));
    return { model: name, usage_id: name };
  }

  /** Is gone as a process is that was killed; what it had not stored is lost. */
  async kill(): Promise<void> {
    await this.#store.kill();
    this.#app?.server.closeAllConnections();
    this.#app?.server.close();
    this.#port = 0;
    await this.start();
  }

  #agentWith(llm: unknown): Agent {
    const script = this.#models.get((llm as JsonObject | undefined)?.['model'] as string);
    return script ? this.#agent.withModel(script) : this.#agent;
  }

  get workspace(): RemoteWorkspace {
    return new RemoteWorkspace({ host: `127.0.0.1:${this.#port}`, workingDir: join(this.folder, 'work') });
  }

  async stop(): Promise<void> {
    await this.#app?.close();
  }

  async dispose(): Promise<void> {
    await this.stop();
    await this.#store.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function refuse(model: unknown): never {
  throw new TypeError(`there is no model ${JSON.stringify(model)}`);
}

async function make({
  turns,
  tools,
  toolConcurrency,
  ...settings
}: ConversationScript): Promise<ConversationUnderTest> {
  const script = new ModelScript(turns);
  const agent = new ScriptedAgent({ script, tools: tools ?? [], toolConcurrency: toolConcurrency ?? 1 });
  const server = new ServerUnderTest(await mkdtemp(join(tmpdir(), 'conv-remote-')), agent);
  await server.start();
  const opened: RemoteConversation[] = [];
  const open = async (options: Partial<RemoteConversationOptions>): Promise<RemoteConversation> => {
    const given = { workspace: server.workspace, agent: agent.describe(), subscriberGrace: 50, ...options };
    const conversation = await openRemoteConversation({}, given);
    opened.push(conversation);
    return conversation;
  };
  const conversation = await open({ ...settings, create: 'must' });
  return {
    conversation,
    reopen: async () => {
      await opened.at(-1)?.close();
      // not from what the server has in memory
      await server.stop();
      await server.start();
      return open({ id: conversation.id, create: 'never' });
    },
    kill: async () => {
      await server.kill();
      return open({ id: conversation.id, create: 'never' });
    },
    model: (more) => server.model(more),
    open: (id) => open({ id, create: 'never' }),
    modelRequests: () => script.requests,
    dispose: async () => {
      for (const one of opened) await one.close();
      await server.dispose();
    },
  };
}

const features = {
  fork: true,
  commits: true,
  kill: true,
  secrets: true,
  stuckDetection: true,
  models: true,
  toolConcurrency: true,
  answerCall: true,
  rerunActions: false,
  unknownAnalyzers: false,
};

for (const { name, run } of applicableCases(conversationConformance, features)) test(name, () => run({ make }));
