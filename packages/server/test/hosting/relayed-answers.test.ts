import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';

import type { EventsList, ExecutionStatus, StateFields, ToolOutput } from '@conv/core';
import { systemPlatform } from '@conv/core/platform';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';

import { Peers } from '../../src/ownership/peers.ts';
import { RelayedAnswers, type RunPlace } from '../../src/hosting/relayed-answers.ts';
import type { HostedConversation } from '../../src/hosting/hosted-conversation.ts';
import { testFleet } from '../support/test-fleet.ts';
import { startBench, type SocketBench } from '../support/socket-bench.ts';

/** A conversation as it is read elsewhere, as late as a test wants. */
class Reading {
  length = 0;
  status: ExecutionStatus = 'running';
  readonly told: string[] = [];
  readonly id: string;

  constructor(id: string) {
    this.id = id;
  }

  get events(): EventsList {
    return { length: this.length } as EventsList;
  }

  get fields(): StateFields {
    return { executionStatus: this.status } as StateFields;
  }
}

/**
 * Starts an owner whose model begins its answer again and again until a test lets it end, so that a late listener gets the answer
 * too.
 */
async function talking(keys: readonly string[] = []) {
  let isOver = false;
  const bench = await startBench({
    keys,
    peer: ({ headers, socket, method = '', url = '' }) =>
      new Peers(testFleet(`http://127.0.0.1:${socket.localPort}`), systemPlatform).callerOf(headers, {
        method,
        path: url,
      }),
    think: async ({ say, context }) => {
      for (let attempt = 1; !isOver && !context.signal.aborted; attempt++) {
        say('one ', { attempt });
        say('two', { attempt });
        await setTimeout(5);
      }
      return 'done';
    },
  });
  const conversation = bench.host.loaded(bench.id) as HostedConversation;
  await conversation.send('go', { run: true });
  return { bench, conversation, end: () => void (isOver = true) };
}

function relay(
  reading: Reading,
  place: () => RunPlace | undefined,
  peers: Peers = new Peers(testFleet('http://here.invalid'), systemPlatform),
): RelayedAnswers {
  const told = {
    onToken: ({ text, order }: { text: string; order: number }) => void reading.told.push(`${order} ${text}`),
    onAnswerAborted: (_: string, reason: string) => void reading.told.push(reason),
    onOutput: ({ toolCallId, text }: ToolOutput) => void reading.told.push(`${toolCallId} ${text}`),
  };
  const relayed = new RelayedAnswers({ platform: systemPlatform, conversation: reading, place, peers, told });
  onTestFinished(() => relayed.close());
  return relayed;
}

const at = (bench: SocketBench): RunPlace => ({ url: `http://127.0.0.1:${bench.port}` });

test('another server shows an answer while it streams, after the events before it', async () => {
  const { bench, end } = await talking();
  const reading = new Reading(bench.id);
  const relayed = relay(reading, () => at(bench));
  await expect.poll(() => bench.sockets.size).toBe(1);
  const near = bench.session();
  await near.until((frames) => frames.filter(({ type }) => type === 'delta').length > 4);
  relayed.look();
  expect(reading.told).toEqual([]);
  reading.length = bench.state().events.length;
  relayed.look();
  await expect.poll(() => reading.told.slice(0, 2)).toEqual(['0 one ', '1 two']);
  end();
  near.terminate();
  relayed.close();
  await expect.poll(() => bench.sockets.size).toBe(0);
});

test('another server shows the output of tools at the server that runs the conversation', async () => {
  const owner = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => owner.close());
  await once(owner, 'listening');
  owner.on('connection', (socket) =>
    socket.send(JSON.stringify({ type: 'tool_output', tool_call_id: 'c', content: 'begun' })),
  );
  const reading = new Reading(crypto.randomUUID());
  relay(reading, () => ({ url: `http://127.0.0.1:${(owner.address() as AddressInfo).port}` }));
  await expect.poll(() => reading.told).toEqual(['c begun']);
});

test('P11: no piece comes after the event of its answer, which was read here first', async () => {
  const owner = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => owner.close());
  await once(owner, 'listening');
  const reading = new Reading(crypto.randomUUID());
  reading.length = 3;
  const relayed = relay(reading, () => ({ url: `http://127.0.0.1:${(owner.address() as AddressInfo).port}` }));
  const [socket] = (await once(owner, 'connection')) as [WebSocket];
  relayed.look([{ id: 'read' }]);
  for (const item_id of ['read', 'next']) {
    const about = { item_id, attempt: 1 };
    socket.send(JSON.stringify({ type: 'item_started', ...about, anchor_seq: 1 }));
    socket.send(JSON.stringify({ type: 'delta', ...about, order: 0, kind: 'text', content: item_id }));
  }
  await expect.poll(() => reading.told).toEqual(['0 next']);
});

test('a relay listens to the server of the next run between runs, so that its model streams its answer', async () => {
  const { bench, end } = await talking();
  const reading = new Reading(bench.id);
  reading.status = 'idle';
  const relayed = relay(reading, () => at(bench));
  await expect.poll(() => bench.sockets.size).toBe(1);
  relayed.close();
  await expect.poll(() => bench.sockets.size).toBe(0);
  end();
});

test('a relay moves to the server that is known to run the conversation by now', async () => {
  const { bench, end } = await talking();
  const before = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => before.close());
  await once(before, 'listening');
  const reading = new Reading(bench.id);
  reading.length = 100;
  let place: RunPlace = { url: `http://127.0.0.1:${(before.address() as AddressInfo).port}` };
  const relayed = relay(reading, () => place);
  await expect.poll(() => before.clients.size).toBe(1);
  place = at(bench);
  relayed.look();
  await expect.poll(() => reading.told.slice(0, 2)).toEqual(['0 one ', '1 two']);
  await expect.poll(() => before.clients.size).toBe(0);
  end();
});

test('the owner hears a server of its fleet, and no other', async () => {
  const { bench, end } = await talking(['a key']);
  const [denied, reading] = [new Reading(bench.id), new Reading(bench.id)];
  for (const one of [denied, reading]) one.length = 100;
  const stranger = { ...testFleet('http://here.invalid'), key: 'the key of another fleet' };
  relay(denied, () => at(bench), new Peers(stranger, systemPlatform));
  relay(reading, () => at(bench));
  await expect.poll(() => reading.told.slice(0, 2)).toEqual(['0 one ', '1 two']);
  end();
  expect(denied.told).toEqual([]);
});

test('a relay listens to the next owner when the owner has changed', async () => {
  const { bench, end } = await talking();
  const reading = new Reading(bench.id);
  reading.length = 100;
  const places: (RunPlace | undefined)[] = [undefined, { url: 'http://127.0.0.1:1' }];
  relay(reading, () => (places.length > 0 ? places.shift() : at(bench)));
  await expect.poll(() => reading.told.slice(0, 2)).toEqual(['0 one ', '1 two']);
  end();
});

test('a run that this process has taken over is listened to here', async () => {
  const { bench, conversation, end } = await talking();
  const reading = new Reading(bench.id);
  reading.length = 100;
  relay(reading, () => ({ conversation }));
  await expect.poll(() => reading.told.length).toBeGreaterThan(2);
  expect(reading.told).toContain('0 one ');
  expect(bench.sockets.size).toBe(0);
  end();
});
