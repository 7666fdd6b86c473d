import { median, timeBeside, type Figure } from '../figure.ts';
import { LoadProcess } from '../load/load-process.ts';
import { sendMessage } from '../load/requests.ts';
import { Place } from '../place.ts';
import { openReaders } from '../protocols/readers.ts';
import { PROTOCOLS, SESSION_SOCKET, type Protocol } from '../protocols/protocol.ts';
import type { Way } from '../protocols/way.ts';

/** The most processor time that followers of an adapter take, beside followers of the session socket. */
const LIMIT = 1.3;

/** Milliseconds between two pieces of an answer: what a model does. */
const EVERY = 20;

/** A measurement of followers. */
interface ManyFollowers {
  readonly count: number;
  readonly pieces: number;
  readonly rounds: number;
}

/**
 * Measures the processor time that a server takes for many followers of one run, from the first piece to the last follower that has everything, for
 * each adapter whose clients can follow, in turns with the session socket.
 */
export async function followers(way: Way, { count, pieces, rounds }: ManyFollowers): Promise<readonly Figure[]> {
  await using place = new Place();
  await using server = await LoadProcess.start('protocols-worker', place.directory, way);
  const followed = PROTOCOLS.filter(({ follow }) => follow);
  const all = [SESSION_SOCKET, ...followed];
  const spent = all.map((): number[] => []);
  for (let round = -1; round < rounds; round++)
    for (const [at, protocol] of all.entries()) {
      // a conversation of its own: some adapters tell the answers before
      const id = await server.ask('makeAnswering', { pieces, every: EVERY, gated: true });
      const took = await follow(server, protocol, { id, count, last: `piece ${pieces - 1} ` });
      // the first round measures how programs are compiled
      if (round >= 0) spent[at]?.push(took);
    }
  const [baseline = 0, ...values] = spent.map(median);
  return followed.map(({ name }, at) =>
    timeBeside({ name: `followers.${way}.${name}.${count}`, value: values[at] as number, baseline, limit: LIMIT }),
  );
}

interface Followers {
  readonly id: string;
  readonly count: number;
  /** The last piece of the answer. */
  readonly last: string;
}

async function follow(server: LoadProcess, { follow: at }: Protocol, { id, count, last }: Followers): Promise<number> {
  if (!at) throw new TypeError('expected a protocol whose clients follow');
  // the run waits until all follow it
  await sendMessage(server, id, { run: true });
  await using readers = await openReaders(await at(server.port, id), count, last);
  const before = await server.ask('spent');
  await server.ask('openGate', id);
  await readers.done;
  return (await server.ask('spent')) - before;
}
