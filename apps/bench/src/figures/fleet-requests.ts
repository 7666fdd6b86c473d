import { PostgresStore } from '@conv/persist-postgres';

import { time, type Figure } from '../figure.ts';
import { Fleet } from '../load/fleet.ts';
import { Followers, percentile } from '../load/followers.ts';
import type { LoadProcess } from '../load/load-process.ts';
import { readConversation, sendMessage, socketsOf } from '../load/requests.ts';
import { servedConversation } from '../place.ts';

/** Before anything is counted: compilers, caches and connections are warm then. */
const WARM_UP = 30;

/** Milliseconds between events: what a person or a model does. */
const EVERY = 20;

/** Times of a request about a conversation at its owner, and at another server. */
interface Pair {
  readonly owner: readonly number[];
  readonly elsewhere: readonly number[];
}

/** Commands, reads and events of one conversation at the server that owns it and at another one, in turns. */
export async function fleetRequests(samples: number, events: number): Promise<readonly Figure[]> {
  await using fleet = await Fleet.start(2);
  const [owner, other] = fleet.servers as readonly [LoadProcess, LoadProcess];
  const id = await conversationWith(fleet, events);
  await sendMessage(owner, id, { run: false });
  const inTurns = async (ask: (server: LoadProcess) => Promise<unknown>): Promise<Pair> => {
    const times = { owner: [] as number[], elsewhere: [] as number[] };
    for (let sample = -WARM_UP; sample < samples; sample++) {
      const [there, here] = [await time(() => ask(other)), await time(() => ask(owner))];
      if (sample < 0) continue;
      times.elsewhere.push(there);
      times.owner.push(here);
    }
    return times;
  };
  const commands = await inTurns((server) => sendMessage(server, id, { run: false, key: true }));
  const keyless = await inTurns((server) => sendMessage(server, id, { run: false }));
  const infos = await inTurns((server) => readConversation(server, id));
  const pages = await inTurns((server) => readConversation(server, id, '/events/search?limit=100'));
  return [
    forwarded('fleet.command', commands),
    at('fleet.command', 0.99, commands),
    at('fleet.command.keyless', 0.5, keyless),
    at('fleet.info', 0.5, infos),
    at('fleet.page', 0.5, pages),
    at('fleet.page', 0.99, pages),
    ...(await deliveries(id, [owner, other], samples)),
  ];
}

async function conversationWith(fleet: Fleet, size: number): Promise<string> {
  const store = new PostgresStore({ connectionString: fleet.connectionString });
  const id = await servedConversation(store, { directory: fleet.directory, size });
  await store.close();
  return id;
}

/** Measures the time until an event arrives at a socket of the owner, and of another server. */
async function deliveries(
  id: string,
  [owner, other]: readonly [LoadProcess, LoadProcess],
  events: number,
): Promise<readonly Figure[]> {
  using here = await Followers.open(socketsOf(owner, [id]), true);
  using there = await Followers.open(socketsOf(other, [id]), true);
  await Promise.all([here.synced(), there.synced()]);
  const append = { id, commits: events, each: 1, bytes: 1024, every: EVERY };
  const arrive = (): Promise<unknown> =>
    Promise.all([owner.ask('append', append), here.arrived(events), there.arrived(events)]);
  await arrive();
  here.latencies.length = there.latencies.length = 0;
  await arrive();
  const pair = { owner: here.latencies, elsewhere: there.latencies };
  return [at('fleet.event', 0.5, pair), at('fleet.event', 0.99, pair)];
}

/** A forwarded command is one more hop on the same machine, and the look that tells whose it is. */
function forwarded(name: string, pair: Pair): Figure {
  const figure = at(name, 0.5, pair);
  const limit = Math.round((2 * (figure.baseline ?? 0) + 2) * 10) / 10;
  return { ...figure, target: { of: 'value', is: 'at most', limit } };
}

function at(name: string, share: number, { owner, elsewhere }: Pair): Figure {
  const [value, baseline] = [percentile(elsewhere, share), percentile(owner, share)];
  return { name: `${name}.p${share * 100}`, value, unit: 'ms', baseline, ratio: value / baseline };
}
