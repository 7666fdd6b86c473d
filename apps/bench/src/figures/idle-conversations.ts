import { setTimeout as sleep } from 'node:timers/promises';

import { median, time, type Figure } from '../figure.ts';
import { Followers } from '../load/followers.ts';
import { LoadProcess } from '../load/load-process.ts';
import { postMessage } from '../load/post.ts';
import { socketsOf } from '../load/requests.ts';
import { Place } from '../place.ts';
import { urls } from './delivery.ts';

/** Messages of a kilobyte in each conversation. */
const MESSAGES = 10;

/** Points of the slope: parts of all conversations. */
const PARTS = [0.2, 0.6, 1];

/** Conversations before the measurement, so that loading and compilation do not count. */
const WARM_UP = 20;

/** Conversations whose commands are measured, one after the other. */
const COMMANDS = 200;

/** Places in the list from one command to the next: a prime number, so that commands spread over the list. */
const STRIDE = 7919;

/** Idle conversations of a server. */
export interface Idle {
  readonly conversations: number;
  /** Milliseconds until the server counts as idle: its conversations forget what they can read again after 20 to 40 s. */
  readonly rest: number;
}

/**
 * Memory of loaded conversations with ten messages each, a socket each, in which nothing happens: the slope of resident bytes over their number, beside
 * that of bare sockets. And the time of a command then, beside that of the same server with few conversations.
 */
export async function idleConversations({ conversations, rest }: Idle): Promise<readonly Figure[]> {
  await using place = new Place();
  await using server = await LoadProcess.start('agent-server-worker', place.directory);
  await using bare = await LoadProcess.start('bare-sockets-worker');
  const ids: string[] = [];
  const opened: Followers[] = [];
  try {
    const grow = async (to: number): Promise<void> => {
      const made = await server.ask('make', { conversations: to - ids.length, calls: 0, messages: MESSAGES });
      const followed = await Followers.open(socketsOf(server, made), false);
      opened.push(followed, await Followers.open(urls(bare.port, '/', made.length), false));
      await followed.synced();
      ids.push(...made);
    };
    await grow(WARM_UP);
    const few = await commandTime(server, ids);
    const points: Point[] = [];
    for (const part of PARTS) {
      await grow(WARM_UP + Math.round(conversations * part));
      await sleep(rest);
      points.push({ count: ids.length, ours: await server.ask('resident'), bare: await bare.ask('resident') });
    }
    const many = await commandTime(server, ids);
    return [memoryOf(conversations, points), commandsOf(conversations, many, few)];
  } finally {
    for (const followers of opened) followers[Symbol.dispose]();
  }
}

interface Point {
  readonly count: number;
  /** Resident bytes. */
  readonly ours: number;
  readonly bare: number;
}

function memoryOf(conversations: number, points: readonly Point[]): Figure {
  const bare = slope(points.map(({ count, bare: bytes }) => [count, bytes]));
  const value = slope(points.map(({ count, ours }) => [count, ours])) - bare;
  const target = { of: 'value', is: 'at most', limit: 20 * 1024 } as const;
  return { name: `server.idle.slope.${conversations}`, value, unit: 'bytes', baseline: bare, ratio: null, target };
}

function commandsOf(conversations: number, value: number, baseline: number): Figure {
  const target = { of: 'ratio', is: 'at most', limit: 2 } as const;
  return { name: `server.idle.command.${conversations}`, value, unit: 'ms', baseline, ratio: value / baseline, target };
}

/** Milliseconds of a message to conversations all over the list, one after the other. */
async function commandTime(server: LoadProcess, ids: readonly string[]): Promise<number> {
  const times: number[] = [];
  for (let nth = -COMMANDS; nth < COMMANDS; nth++) {
    // the first half warms up
    const id = ids[((nth + COMMANDS) * STRIDE) % ids.length] as string;
    const took = await time(() => postMessage(server.port, id));
    if (nth >= 0) times.push(took);
  }
  return median(times);
}

/** The slope of the line through the points by least squares. */
function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const middle = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [x, y] = [middle(0), middle(1)];
  const products = points.map(([one, other]) => (one - x) * (other - y));
  const squares = points.map(([one]) => (one - x) ** 2);
  const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);
  return sum(products) / sum(squares);
}
