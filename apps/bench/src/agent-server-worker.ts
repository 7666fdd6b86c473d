import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { MemoryStore } from '@conv/core/store';
import { FsStore } from '@conv/persist-fs';
import { agentServer } from '@conv/server';
import { fastify } from 'fastify';

import { instantAgent } from './instant-agent.ts';
import { answerCommands, memoryCommands, type LoadCommands } from './load/commands.ts';
import { stampedEvent } from './load/stamped-event.ts';
import { withoutEventFiles } from './without-event-files.ts';

/** Runs that may be on at once. */
const RUNS = 1000;

/** Conversations that are made at the same time. */
const AT_ONCE = 20;

const [directory = tmpdir(), kind] = process.argv.slice(2);
const store =
  kind === 'memory' ? new MemoryStore() : new FsStore({ directory, view: 'deferred', disk: withoutEventFiles });
const server = agentServer({
  store,
  persistenceDir: join(directory, 'files'),
  agents: { revive: async () => instantAgent(1) },
  maxConcurrentRuns: RUNS,
});
let requests = 0;
const app = fastify();
app.addHook('onRequest', async () => void requests++);
await app.register(server);
app.server.on('upgrade', () => void requests++);
await app.listen({ host: '127.0.0.1', port: 0 });

const commands: LoadCommands = {
  ...memoryCommands,
  requests: async () => requests,
  make: async ({ conversations, calls }) => {
    const ids = Array.from({ length: conversations }, () => randomUUID());
    const waiting = ids.values();
    const lane = async (): Promise<void> => {
      for (const id of waiting) await server.host.create({ id, agent: instantAgent(calls), workspace: directory });
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    return ids;
  },
  append: async ({ id, commits, each, bytes, every }) => {
    using lease = await server.host.acquire(id);
    const { state } = lease.conversation.conversation;
    const acknowledged: Promise<unknown>[] = [];
    for (let commit = 0; commit < commits; commit++) {
      acknowledged.push(state.append(Array.from({ length: each }, () => stampedEvent(bytes))));
      if (every > 0) await sleep(every);
    }
    await Promise.all(acknowledged);
    return state.events.length;
  },
};
answerCommands(commands, (app.server.address() as AddressInfo).port);
