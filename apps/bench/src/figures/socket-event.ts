import { median, type Figure } from '../figure.ts';
import { Followers, percentile } from '../load/followers.ts';
import { LoadProcess } from '../load/load-process.ts';
import { Place } from '../place.ts';
import { urls } from './delivery.ts';

/** Milliseconds between events: what a person or a model does. */
const EVERY = 20;

/** A measurement of events. */
export interface SocketEvents {
  readonly events: number;
  readonly rounds: number;
  /** The folder of a build to compare with. Default: a server of the `ws` package that sends the same. */
  readonly before?: string | undefined;
}

/** A server and the socket that follows it. */
interface Followed {
  readonly server: LoadProcess;
  readonly id: string;
  readonly followers: Followers;
}

/** Milliseconds from an append in memory, where it is durable at once, until a socket has the event. In turns with the baseline. */
export async function socketEvent({ events, rounds, before }: SocketEvents): Promise<readonly Figure[]> {
  await using place = new Place();
  const memory = [place.directory, 'memory'] as const;
  await using server = await LoadProcess.start('agent-server-worker', ...memory);
  await using other = before
    ? await LoadProcess.startOf(before, 'agent-server-worker', ...memory)
    : await LoadProcess.start('bare-sockets-worker');
  const [id = ''] = await server.ask('make', { conversations: 1, calls: 0 });
  const [otherId = ''] = before ? await other.ask('make', { conversations: 1, calls: 0 }) : [];
  using followers = await Followers.open(urls(server.port, `/sockets/session/${id}`, 1), true);
  const path = before ? `/sockets/session/${otherId}` : '/';
  using otherFollowers = await Followers.open(urls(other.port, path, 1), true);
  const pair = [
    { server, id, followers },
    { server: other, id: otherId, followers: otherFollowers },
  ] as const;
  const middles: readonly [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++)
    for (const [at, followed] of pair.entries()) {
      const value = await follow(followed, events);
      // the first round measures how programs are compiled
      if (round > 0) middles[at]?.push(value);
    }
  const [value, baseline] = [median(middles[0]), median(middles[1])];
  const target = { of: 'ratio', is: 'at most', limit: 1 / 3 } as const;
  const figure = { name: 'server.event.p50', value, unit: 'ms', baseline, ratio: value / baseline } as const;
  return [before ? { ...figure, target } : figure];
}

async function follow({ server, id, followers }: Followed, events: number): Promise<number> {
  followers.latencies.length = 0;
  const append = { id, commits: events, each: 1, bytes: 1024, every: EVERY };
  await Promise.all([server.ask('append', append), followers.arrived(events)]);
  return percentile(followers.latencies, 0.5);
}
