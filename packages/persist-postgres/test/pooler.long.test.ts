import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toCommitSeq } from '@conv/core/store';
import { applicableCases, storeConformance, type StoreUnderTest } from '@conv/conformance';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PostgresStore, type PostgresStoreSettings } from '../src/index.ts';
import { Author, commitIds, inCi } from '@conv/testing-harness';
import { administer, borrowSchema, freshSchema, giveBack } from './fresh-schema.ts';
import { openStore } from './open-store.ts';
import { PostgresServer } from '@conv/testing-postgres-server';
import { TransactionPooler } from './transaction-pooler.ts';

describe('behind a pooler in transaction mode', () => {
  let server: PostgresServer;
  let pooler: TransactionPooler;
  beforeAll(async () => {
    server = await PostgresServer.start();
    // the pooler of this test knows no passwords
    await administer('CREATE ROLE pooled LOGIN SUPERUSER', [], server.url());
    const rules = join(server.folder, 'data', 'pg_hba.conf');
    const before = readFileSync(rules, 'utf8');
    writeFileSync(rules, 'host all pooled 127.0.0.1/32 trust\n');
    appendFileSync(rules, before);
    await administer('SELECT pg_reload_conf()', [], server.url());
    pooler = await TransactionPooler.start(server.port, 'pooled', 3);
  });
  afterAll(async () => {
    await pooler.close();
    await server.stop();
  });

  const pooled = (): string => server.url({ port: pooler.port, user: 'pooled' });

  test('the pooler of this test keeps no session', async () => {
    const clients = [1, 2].map(() => new Client({ connectionString: pooled() }));
    for (const client of clients) await client.connect();
    const backends = new Set<number>();
    for (let at = 0; at < 6; at++) {
      const { rows } = await (clients[at % 2] as Client).query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      backends.add(rows[0]?.pid ?? 0);
    }
    expect(backends.size).toBe(3);
    for (const client of clients) await client.end();
  });

  async function make(): Promise<StoreUnderTest> {
    const schema = borrowSchema();
    const stores: PostgresStore[] = [];
    const another = (): PostgresStore => {
      const store = new PostgresStore({ connectionString: pooled(), schema, pollInterval: 20 });
      stores.push(store);
      return store;
    };
    return {
      store: another(),
      again: async () => another(),
      takeOver: async (id) => {
        await administer(`UPDATE "${schema}".owners SET lease_until = '-infinity'`, [], server.url());
        return another().open(id, { create: 'never', owner: 'successor' });
      },
      dispose: async () => {
        await Promise.all(stores.map((store) => store.close()));
        await giveBack(schema, server.url());
      },
    };
  }

  const features = { ...new PostgresStore({ connectionString: 'postgres://unused' }).features, takeOver: true };
  for (const { name, run } of inCi(applicableCases(storeConformance, features), 3))
    test(name, () => run({ make, waitTimeout: 60_000 }));

  test('no statement has a name, and clients share the connections of the server', () => {
    expect(pooler.named).toBe(0);
    expect(pooler.handovers).toBeGreaterThan(1000);
  });

  /** Resolves when a watcher in another store has seen `count` commits, each appended after the one before arrived. */
  async function arrivals(count: number, settings: PostgresStoreSettings): Promise<void> {
    const schema = freshSchema();
    const { store } = openStore({ url: pooled(), schema });
    const { store: watcher } = openStore({ url: pooled(), schema, ...settings });
    const { author, journal } = await Author.open(store);
    const reader = await watcher.read(author.id);
    for await (const { seq } of reader?.watch(toCommitSeq(0), new AbortController().signal) ?? []) {
      if (seq === count) return;
      await author.say(journal, randomUUID());
    }
  }

  test('P11: a store behind a pooler without messages looks for changes at its pollInterval', async () => {
    const order: string[] = [];
    // a store that gets messages looks every two seconds, and then neither of the two would be first
    await Promise.all([
      arrivals(6, { pollInterval: 20 }).then(() => order.push('often')),
      arrivals(1, { pollInterval: 4_000 }).then(() => order.push('seldom')),
    ]);
    expect(order).toEqual(['often', 'seldom']);
  });

  test('P11: a store that listens on the address of the database gets messages', async () => {
    const { store, schema } = openStore({ url: pooled() });
    // no look falls into the time of this test
    const { store: watcher } = openStore({ url: pooled(), schema, listen: server.url(), pollInterval: 3_600_000 });
    const { author, journal } = await Author.open(store);
    const reader = await watcher.read(author.id);
    const seen: string[] = [];
    const stop = new AbortController();
    const watching = (async () => {
      for await (const { id } of reader?.watch(toCommitSeq(0), stop.signal) ?? []) {
        seen.push(id);
        if (seen.length === 20) stop.abort();
      }
    })();
    while (seen.length < 20) await author.say(journal, randomUUID());
    await watching;
    expect(seen).toEqual((await commitIds(journal)).slice(0, 20));
  });
});
