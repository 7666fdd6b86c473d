import { join } from 'node:path';

import { loadPeer } from '../install.ts';
import type { Peer, PeerStore, PeerThread } from '../peer.ts';
import { appendingRuns } from './appending-runs.ts';

interface MessageSent {
  readonly type: 'MessageSent';
  readonly data: { readonly text: string };
}
interface EventStore {
  appendToStream(stream: string, events: readonly MessageSent[]): Promise<unknown>;
  readStream(
    stream: string,
    options?: { readonly from: bigint },
  ): Promise<{ readonly events: readonly (MessageSent | undefined)[] }>;
  close?(): Promise<void>;
}
interface EmmettPostgres {
  readonly getPostgreSQLEventStore: (address: string) => EventStore;
}
interface EmmettSqlite {
  readonly getSQLiteEventStore: (options: { readonly fileName: string }) => EventStore;
}

const BUSY_ATTEMPTS = 5;
const LACKS = { list: 'no call that lists streams', resume: 'keeps events, and runs nothing' };

/** Event stores of Emmett, a stream for each conversation. */
export const emmett: readonly Peer[] = [
  {
    key: 'emmett-sqlite',
    title: 'Emmett, SQLite',
    kind: 'sqlite',
    synced: 'write-ahead log, fsync for each commit (the default, synchronous=FULL)',
    packages: ['@event-driven-io/emmett', '@event-driven-io/emmett-sqlite'],
    remarks: {
      step: 'no agent in it: two appends, of a call and its result',
      append: 'repeated up to five times when it fails with SQLITE_BUSY',
      open: 'told where to read from; a store that is not told reads the whole stream',
      fork: 'no fork of a stream',
    },
    lacks: LACKS,
    load: async () => {
      const { getSQLiteEventStore } = await loadPeer<EmmettSqlite>('@event-driven-io/emmett-sqlite');
      return async ({ directory }) => openStore(getSQLiteEventStore({ fileName: join(directory, 'events.db') }));
    },
  },
  {
    key: 'emmett-postgres',
    title: 'Emmett, PostgreSQL',
    kind: 'postgres',
    synced: 'commit, flushed by the server (synchronous_commit=on)',
    packages: ['@event-driven-io/emmett', '@event-driven-io/emmett-postgresql'],
    remarks: {
      open: 'told where to read from; a store that is not told reads the whole stream',
      fork: 'no fork of a stream',
      step: 'no agent in it: two appends, of a call and its result',
    },
    lacks: LACKS,
    load: async () => {
      const { getPostgreSQLEventStore } = await loadPeer<EmmettPostgres>('@event-driven-io/emmett-postgresql');
      return async ({ database = '' }) => openStore(getPostgreSQLEventStore(database));
    },
  },
];

function openStore(store: EventStore): PeerStore {
  const eventOf = (text: string): MessageSent => ({ type: 'MessageSent', data: { text } });
  const read = async (id: string, from?: number): Promise<readonly string[]> => {
    const { events } = await store.readStream(id, from === undefined ? undefined : { from: BigInt(from) });
    return events.flatMap((event) => (event ? [event.data.text] : []));
  };
  const append = (id: string, texts: readonly string[]): Promise<unknown> =>
    repeatingBusy(() => store.appendToStream(id, texts.map(eventOf)));
  const open = (id: string): PeerThread => ({
    append: async (text) => void (await append(id, [text])),
    last: async (count, total) => (await read(id, Math.max(1, total - count + 1))).slice(-count),
    all: () => read(id),
    close: async () => {},
  });
  return {
    fill: async (id, texts) => {
      for (let at = 0; at < texts.length; at += 50) await append(id, texts.slice(at, at + 50));
    },
    open: async (id) => open(id),
    steps: async (id, calls) => appendingRuns(open(id), calls),
    close: async () => store.close?.(),
  };
}

/** Repeats a call that SQLite refused for the moment: the store opens a connection for each call, and does not wait for others. */
async function repeatingBusy<T>(call: () => Promise<T>): Promise<T> {
  for (let left = BUSY_ATTEMPTS; ; left--)
    try {
      return await call();
    } catch (error) {
      if (left === 1 || (error as { code?: unknown }).code !== 'SQLITE_BUSY') throw error;
    }
}
