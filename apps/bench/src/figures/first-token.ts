import { median, timeBeside, type Figure } from '../figure.ts';
import { LoadProcess } from '../load/load-process.ts';
import { Place } from '../place.ts';
import type { AskingClient } from '../protocols/asking-client.ts';
import { PROTOCOLS, SESSION_SOCKET, type Protocol } from '../protocols/protocol.ts';
import type { Way } from '../protocols/way.ts';

/** The longest that a client of an adapter waits, beside a client of the session socket. */
const LIMIT = 1.2;

/** Questions to one conversation: a run of AG-UI begins with all its messages. */
const QUESTIONS = 20;

/** Pieces of an answer. */
const PIECES = 5;

/**
 * Measures, for adapters that get their conversations in a way, the time from the sending of a message to the first piece of its answer, for each adapter
 * in turns with the session socket. The agent takes no time. Each client has a conversation of its own, and a new one after some questions.
 */
export async function firstToken(way: Way, rounds: number): Promise<readonly Figure[]> {
  await using place = new Place();
  await using server = await LoadProcess.start('protocols-worker', place.directory, way);
  const measured = PROTOCOLS.filter(({ name }) => name !== 'acp' || way === 'here' || way === 'remote');
  const names = [SESSION_SOCKET, ...measured];
  const times = names.map((): number[] => []);
  // the first sitting measures how programs are compiled
  for (let sitting = -1; sitting * QUESTIONS < rounds; sitting++) {
    const clients = await openClients(server, names);
    const questions = Math.min(QUESTIONS, rounds - Math.max(0, sitting) * QUESTIONS);
    for (let round = 0; round < questions; round++)
      for (const [at, client] of clients.entries()) {
        const took = await firstPiece(client);
        if (sitting >= 0) times[at]?.push(took);
      }
    for (const client of clients) client.close();
  }
  const [baseline = 0, ...values] = times.map(median);
  return measured.map(({ name }, at) =>
    timeBeside({ name: `first-token.${way}.${name}`, value: values[at] as number, baseline, limit: LIMIT }),
  );
}

/** Opens a client for each protocol, each with a new conversation. */
async function openClients(server: LoadProcess, protocols: readonly Protocol[]): Promise<readonly AskingClient[]> {
  const clients: AskingClient[] = [];
  for (const protocol of protocols) {
    const id = await server.ask('makeAnswering', { pieces: PIECES, every: 0, gated: false });
    clients.push(await protocol.open(server.port, id));
  }
  return clients;
}

async function firstPiece(client: AskingClient): Promise<number> {
  const start = performance.now();
  let took = Number.NaN;
  await client.ask(() => (took = performance.now() - start));
  return took;
}
