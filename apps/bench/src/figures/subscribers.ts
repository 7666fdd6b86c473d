import { setTimeout as sleep } from 'node:timers/promises';

import type { WebSocket } from 'ws';

import { median, type Figure } from '../figure.ts';
import { Followers, percentile } from '../load/followers.ts';
import { LoadProcess } from '../load/load-process.ts';
import { Place } from '../place.ts';
import { urls } from './delivery.ts';

/** Milliseconds between events: what a person or a model does. */
const EVERY = 100;

/** Milliseconds that the slow one sleeps after each piece that it reads. */
const NAP = 300;

/** Bytes of an event. Many such events fill a server's buffer for a peer; the events that a log keeps are few beside them. */
const LARGE = 16 * 1024;

/** So many of them at a time. */
const PIECE = 250;

/** Megabytes: what the server may keep for a peer that does not read, and as much again for everything else. */
const KEPT = 32;

const MEBIBYTE = 2 ** 20;

/**
 * Measures the time of events to many subscribers. In turns, all read, or two further subscribers read nothing and little. Those
 * two are not measured.
 */
export async function manySubscribers(subscribers: number, events: number, rounds: number): Promise<readonly Figure[]> {
  await using place = new Place();
  await using server = await LoadProcess.start('agent-server-worker', place.directory);
  const [id = ''] = await server.ask('make', { conversations: 1, calls: 0 });
  const url = urls(server.port, `/sockets/session/${id}`, subscribers);
  using healthy = await Followers.open(url.slice(2), true);
  using others = await Followers.open(url.slice(0, 2), false);
  const [stalled, slow] = others.sockets as [WebSocket, WebSocket];
  const append = { id, commits: events, each: 1, bytes: 1024, every: EVERY };
  const deliver = async (): Promise<readonly [number, number]> => {
    healthy.latencies.length = 0;
    await Promise.all([server.ask('append', append), healthy.arrived(events * healthy.sockets.length)]);
    return [percentile(healthy.latencies, 0.5), percentile(healthy.latencies, 0.99)];
  };
  await deliver();
  const before = await server.ask('used');
  const [all, without]: [[number, number][], [number, number][]] = [[], []];
  let memory = 0;
  for (let round = 0; round < rounds; round++) {
    all.push([...(await deliver())]);
    stalled.pause();
    const stop = dawdle(slow);
    without.push([...(await deliver())]);
    memory = Math.max(memory, (await server.ask('used')) - before);
    stop();
    stalled.resume();
  }
  const middle = (list: readonly [number, number][], at: 0 | 1): number => median(list.map((pair) => pair[at]));
  return [
    latency(`socket.subscribers.p50.${subscribers}`, middle(without, 0), middle(all, 0)),
    latency(`socket.subscribers.p99.${subscribers}`, middle(without, 1), middle(all, 1)),
    atMost(`socket.subscribers.memory.${subscribers}`, memory / MEBIBYTE, KEPT),
  ];
}

/** Memory of a server while a subscriber reads nothing of what is more than it keeps for one. */
export async function stalledSubscriber(events: number): Promise<readonly Figure[]> {
  await using place = new Place();
  await using server = await LoadProcess.start('agent-server-worker', place.directory);
  const [id = ''] = await server.ask('make', { conversations: 1, calls: 0 });
  using reading = await Followers.open(urls(server.port, `/sockets/session/${id}`, 1), false);
  using stalled = await Followers.open(urls(server.port, `/sockets/session/${id}`, 1), false);
  const most = async (): Promise<number> => {
    let used = 0;
    for (let appended = 0; appended < events; appended += PIECE) {
      const append = { id, commits: PIECE, each: 1, bytes: LARGE, every: 0 };
      await Promise.all([server.ask('append', append), reading.arrived(PIECE)]);
      used = Math.max(used, await server.ask('used'));
    }
    return used;
  };
  await most();
  const before = await most();
  stalled.sockets[0]?.pause();
  return [atMost(`socket.stalled.memory.${events}`, ((await most()) - before) / MEBIBYTE, KEPT)];
}

/** Has a socket read a piece now and then, until what it returns is called. */
function dawdle(socket: WebSocket): () => void {
  const nap = (): void => {
    socket.pause();
    void sleep(NAP, undefined, { ref: false }).then(() => socket.resume());
  };
  socket.on('message', nap);
  return () => void socket.off('message', nap);
}

function latency(name: string, value: number, baseline: number): Figure {
  const target = { of: 'ratio', is: 'at most', limit: 1.5 } as const;
  return { name, value, unit: 'ms', baseline, ratio: value / baseline, target };
}

function atMost(name: string, value: number, limit: number): Figure {
  return { name, value, unit: 'MB', baseline: null, ratio: null, target: { of: 'value', is: 'at most', limit } };
}
