import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import type { AgentServer } from '@conv/server';
import { fastify } from 'fastify';

import { instantAgent } from '../instant-agent.ts';
import { inLanes } from '../lanes.ts';
import { answerCommands, memoryCommands, type LoadCommands } from './commands.ts';
import { stampedEvent } from './stamped-event.ts';

const KILOBYTE = 1024;

/** Conversations that are made at the same time. */
const AT_ONCE = 20;

/** Port of a server, and the folder that conversations work in. */
export interface LoadPlace {
  readonly directory: string;
  /** Default: any free one. */
  readonly port?: number;
}

/** Has this process serve HTTP and do what its parent says. Resolves when it listens. */
export async function serveLoad(server: AgentServer, { directory, port = 0 }: LoadPlace): Promise<void> {
  let requests = 0;
  const app = fastify();
  app.addHook('onRequest', async () => void requests++);
  await app.register(server);
  app.server.on('upgrade', () => void requests++);
  await app.listen({ host: '127.0.0.1', port });
  const commands: Partial<LoadCommands> = {
    ...memoryCommands,
    requests: async () => requests,
    make: async ({ conversations, calls, messages = 0 }) => {
      const ids = Array.from({ length: conversations }, () => randomUUID());
      await inLanes(ids, AT_ONCE, async (id) => {
        using lease = await server.host.create({ id, agent: instantAgent(calls), workspace: directory });
        const { state } = lease.conversation.conversation;
        for (let message = 0; message < messages; message++) await state.append([stampedEvent(KILOBYTE)]);
      });
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
}
