import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { servedProtocols } from '@conv/agent-server';
import { MemoryStore } from '@conv/core/store';
import { agentServer } from '@conv/server';
import { FaultyStore } from '@conv/testing-harness';
import { fastify } from 'fastify';

import { answerCommands, memoryCommands } from './load/commands.ts';
import { GatedAgents } from './protocols/gated-agent.ts';
import { mountProtocols, openedRemotely, type OpenConversation } from './protocols/mount.ts';

/**
 * A server with all adapters, whose agents answer in pieces. `served`: it serves them as the built server does, by its option `protocols`. `fleet`: the
 * same, as the owner in a fleet. `remote`: they are clients of the server. `here`: they have its conversations.
 */
const [directory = tmpdir(), way = 'here'] = process.argv.slice(2);
const agents = new GatedAgents();
const isServed = way === 'served' || way === 'fleet';
const server = agentServer({
  // as if other servers of the fleet could reach it
  store: way === 'fleet' ? new FaultyStore({ shared: true, exclusion: 'kernel' }) : new MemoryStore(),
  persistenceDir: join(directory, 'files'),
  agents: { revive: async () => undefined },
  maxConcurrentRuns: 100,
  ...(isServed ? { protocols: servedProtocols(['openai', 'ai-ui', 'ag-ui', 'a2a']) } : {}),
  ...(way === 'fleet'
    ? { fleet: { url: 'http://127.0.0.1:9', peers: ['http://127.0.0.1:*'], key: 'the key of the bench fleet' } }
    : {}),
});
const app = fastify({ forceCloseConnections: true });
await app.register(server);
const port = (): number => (app.server.address() as AddressInfo).port;
const openedHere: OpenConversation = async (id) => (await server.host.acquire(id)).conversation.conversation;
if (!isServed) mountProtocols(app, way === 'remote' ? openedRemotely(port) : openedHere);
await app.listen({ host: '127.0.0.1', port: 0 });

answerCommands(
  {
    ...memoryCommands,
    makeAnswering: async (answering) => {
      const id = randomUUID();
      (await server.host.create({ id, agent: agents.agent(id, answering), workspace: directory })).release();
      return id;
    },
    openGate: async (id) => agents.open(id),
    spent: async () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    },
  },
  port(),
);
