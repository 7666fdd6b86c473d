import type { AddressInfo } from 'node:net';

import { fastify } from 'fastify';

import { answerCommands, memoryCommands } from './load/commands.ts';
import { floorOf } from './peers/floor.ts';
import type { StorageKind } from './peers/peer.ts';

/** Baseline of a command with Fastify alone: the body of each POST is stored by the plainest durable write, then answered. */
const [directory = '', kind = 'files', database] = process.argv.slice(2);
const floor = await floorOf(kind as StorageKind, { directory, ...(database === undefined ? {} : { database }) });
const app = fastify();
app.post('/', async (request) => {
  await floor?.append(JSON.stringify(request.body));
  return { success: true };
});
await app.listen({ host: '127.0.0.1', port: 0 });
answerCommands(memoryCommands, (app.server.address() as AddressInfo).port);
