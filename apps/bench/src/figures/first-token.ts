import { median, type Figure } from '../figure.ts';
import { LoadProcess } from '../load/load-process.ts';
import { Place } from '../place.ts';
import type { AskingClient } from '../protocols/asking-client.ts';
import { PROTOCOLS, SESSION_SOCKET } from '../protocols/protocol.ts';

/** The longest that a client of an adapter waits, beside a client of the session socket. */
const LIMIT = 1.2;

/** Pieces of an answer. */
const PIECES = 5;

/**
 * Measures, where adapters have conversations of their own process or are clients of the server, the time from the sending of a message to the first piece of its answer, for each adapter in turns with the session socket. The agent takes
 * no time, and each client has a conversation of its own.
 */
export async function firstToken(way: 'here' | 'remote', rounds: number): Promise<readonly Figure[]> {
  await using place = new Place();
  await using server = await LoadProcess.start('protocols-worker', place.directory, way);
  const names = [SESSION_SOCKET, ...PROTOCOLS];
  const clients: AskingClient[] = [];
  try {
    for (const protocol of names) {
      const id = await server.ask('makeAnswering', { pieces: PIECES, every: 0, gated: false });
      clients.push(await protocol.open(server.port, id));
    }
    const times = names.map((): number[] => []);
    // the first rounds measure how programs are compiled
    const warmth = Math.ceil(rounds / 4);
    for (let round = -warmth; round < rounds; round++)
      for (const [at, client] of clients.entries()) {
        const took = await firstPiece(client);
        if (round >= 0) times[at]?.push(took);
      }
    const [baseline = 0, ...values] = times.map(median);
    const target = { of: 'ratio', is: 'at most', limit: LIMIT } as const;
    return PROTOCOLS.map(({ name }, at) => {
      const value = values[at] as number;
      return { name: `first-token.${way}.${name}`, value, unit: 'ms', baseline, ratio: value / baseline, target };
    });
  } finally {
    for (const client of clients) client.close();
  }
}

async function firstPiece(client: AskingClient): Promise<number> {
  const start = performance.now();
  let took = Number.NaN;
  await client.ask(() => (took = performance.now() - start));
  return took;
}
