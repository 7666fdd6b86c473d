import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { stampEvent } from '@conv/core/events';
import { WebSocketServer } from 'ws';

import { answerCommands, memoryCommands } from './load/commands.ts';
import { stampedEvent } from './load/stamped-event.ts';

/** Baseline with the `ws` package alone: each event is made into a frame once and sent to all clients. */
const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
await once(sockets, 'listening');
let seq = 0;

answerCommands(
  {
    ...memoryCommands,
    append: async ({ commits, each, bytes, every }) => {
      for (let commit = 0; commit < commits; commit++) {
        for (let event = 0; event < each; event++) send(bytes);
        await sleep(every);
      }
      return seq;
    },
  },
  (sockets.address() as AddressInfo).port,
);

function send(bytes: number): void {
  const event = stampEvent(stampedEvent(bytes), {
    id: crypto.randomUUID(),
    timestamp: '2026-01-01T00:00:00.000000',
    parentId: null,
  });
  const frame = Buffer.from(JSON.stringify({ type: 'durable', seq: seq++, event }));
  for (const socket of sockets.clients) socket.send(frame, { binary: false });
}
