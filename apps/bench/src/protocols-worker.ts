import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { servedProtocols } from '@conv/agent-server';
import { MemoryStore } from '@conv/core/store';
import { agentServer, type AgentServer } from '@conv/server';
import { FaultyStore, keptPort } from '@conv/testing-harness';
import { fastify } from 'fastify';

import { answerCommands, memoryCommands } from './load/commands.ts';
import { GatedAgents } from './protocols/gated-agent.ts';
import { mountProtocols, openedRemotely, type OpenConversation } from './protocols/mount.ts';

/**
 * A server with all adapters, whose agents answer in pieces. `served`: it serves them as the built server does, by its option `protocols`. `fleet`: the
 * same, as the owner in a fleet. `other`: the same, where another server of the fleet in this process owns the conversations. `remote`: they are clients of
 * the server. `here`: they have its conversations.
 */
const [directory = tmpdir(), way = 'here'] = process.argv.slice(2);
const agents = new GatedAgents();
const isFleet = way === 'fleet' || way === 'other';
const isServed = way === 'served' || isFleet;
// as if other servers of the fleet could reach it
const store = isFleet ? new FaultyStore({ shared: true, exclusion: 'kernel' }) : new MemoryStore();

interface Started {
  readonly server: AgentServer;
  readonly port: number;
}

async function start(): Promise<Started> {
  const own = isFleet ? await keptPort() : 0;
  const server = agentServer({
    store,
    persistenceDir: join(directory, 'files'),
    agents: { revive: async () => undefined },
    maxConcurrentRuns: 100,
    ...(isServed ? { protocols: servedProtocols(['openai', 'ai-ui', 'ag-ui', 'a2a']) } : {}),
    ...(isFleet
      ? { fleet: { url: `http://127.0.0.1:${own}`, peers: ['http://127.0.0.1:*'], key: 'the key of the bench fleet' } }
      : {}),
  });
  const app = fastify({ forceCloseConnections: true });
  await app.register(server);
  const port = (): number => (app.server.address() as AddressInfo).port;
  const openedHere: OpenConversation = async (id) => (await server.host.acquire(id)).conversation.conversation;
  if (!isServed) mountProtocols(app, way === 'remote' ? openedRemotely(port) : openedHere);
  await app.listen({ host: '127.0.0.1', port: own });
  return { server, port: port() };
}

const asked = await start();
const owner = way === 'other' ? await start() : asked;

answerCommands(
  {
    ...memoryCommands,
    makeAnswering: async (answering) => {
      const id = randomUUID();
      (await owner.server.host.create({ id, agent: agents.agent(id, answering), workspace: directory })).release();
      return id;
    },
    openGate: async (id) => agents.open(id),
    spent: async () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    },
  },
  asked.port,
);
