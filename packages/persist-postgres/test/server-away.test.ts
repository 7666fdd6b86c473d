import { setImmediate } from 'node:timers/promises';
import { toCommitSeq } from '@conv/core/store';
import { applicableCases, storeConformance, type StoreConformanceCase } from '@conv/conformance';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Author, commitIds } from '@conv/testing-harness';
import { freshSchema } from './fresh-schema.ts';
import { openStore } from './open-store.ts';
import { PostgresStore } from '../src/index.ts';
import { PostgresServer } from '@conv/testing-postgres-server';

const openFeatures = { ...new PostgresStore({ connectionString: 'postgres://unused' }).features, takeOver: false };

/** True for cases that only harnesses with `goAway` run. */
const isOfGoingAway = ({ name }: Pick<StoreConformanceCase, 'name'>): boolean =>
  !applicableCases(storeConformance, openFeatures).some((other) => other.name === name);

describe('a server that goes away', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.stop());

  test.each(['shutDown', 'crash'] as const)(
    'P1: appends over a %s and a new start are stored once, without an error',
    async (end) => {
      const { store, schema } = openStore({ url: server.url() });
      const { author, journal } = await Author.open(store);
      let running = true;
      const lane = async (): Promise<void> => {
        for (let at = 0; running; at++) await author.say(journal, `message ${at}`);
      };
      const writing = Promise.all([lane(), lane(), lane()]);
      for (let round = 0; round < 3; round++) {
        const before = author.acknowledged.length;
        while (author.acknowledged.length < before + 20) await setImmediate();
        await server[end]();
        await server.startAgain();
      }
      running = false;
      await writing;
      const read = await commitIds(await openStore({ url: server.url(), schema }).store.read(author.id));
      expect(read).toEqual([...author.acknowledged].sort((a, b) => a.seq - b.seq).map(({ id }) => id));
      expect(new Set(read).size).toBe(read.length);
      expect(journal.lost.aborted).toBe(false);
    },
  );

  test('every operation rejects UNAVAILABLE while the server is away, and works when it is back', async () => {
    const { store } = openStore({ url: server.url(), requestTimeout: 0 });
    const { author, journal } = await Author.open(store);
    await server.shutDown();
    try {
      const attempts = [
        () => journal.append({ id: 'away', events: [] }, author.fields),
        () => commitIds(journal),
        () => store.open(author.id, { owner: 'other' }),
        () => store.read(author.id),
        () => store.list(),
        () => store.delete(author.id),
        () => store.fork(author.id, '11111111-2222-4333-8444-555555555555', { patch: {} }),
      ];
      for (const attempt of attempts) {
        await expect(attempt()).rejects.toMatchObject({
          code: 'UNAVAILABLE',
          cause: expect.any(Error),
        });
      }
    } finally {
      await server.startAgain();
    }
    await author.say(journal, 'back');
    expect(await commitIds(journal)).toEqual(author.ids);
    expect((await store.list()).items).toHaveLength(1);
  });

  test('a store that is made while the server is away works when it is back', async () => {
    await server.shutDown();
    const { store } = openStore({ url: server.url(), requestTimeout: 0 });
    await expect(store.list()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await server.startAgain();
    expect((await store.list()).items).toEqual([]);
  });

  test.each(applicableCases(storeConformance, { ...openFeatures, goAway: true }).filter(isOfGoingAway))(
    'the suite: $name',
    ({ run }) =>
      run({
        make: async () => {
          const schema = freshSchema();
          const another = (): PostgresStore =>
            openStore({ url: server.url(), schema, pollInterval: 20, requestTimeout: 0 }).store;
          const goAway = async (): Promise<() => Promise<void>> => {
            await server.shutDown();
            return () => server.startAgain();
          };
          return { store: another(), again: async () => another(), goAway, dispose: async () => {} };
        },
        waitTimeout: 60_000,
      }),
  );

  test.each([
    ['listening', {}],
    ['looking for changes', { listen: false }],
  ] as const)('P11: a watch goes on after the server was away, %s', async (_, settings) => {
    const schema = freshSchema();
    const { store } = openStore({ url: server.url(), schema });
    const { store: watcher } = openStore({
      url: server.url(),
      schema,
      pollInterval: 20,
      requestTimeout: 0,
      ...settings,
    });
    const { author, journal } = await Author.open(store);
    const reader = await watcher.read(author.id);
    const seen: string[] = [];
    const stop = new AbortController();
    const watching = (async () => {
      for await (const { id, seq } of reader?.watch(toCommitSeq(0), stop.signal) ?? []) {
        seen.push(id);
        if (seq === 4) stop.abort();
      }
    })();
    await author.say(journal, 'before');
    while (seen.length < 2) await setImmediate();
    await server.shutDown();
    await server.startAgain();
    await author.say(journal, 'after');
    while (seen.length < 3) await setImmediate();
    await author.say(journal, 'and on');
    await author.say(journal, 'and on');
    await watching;
    expect(seen).toEqual(author.ids);
  });
});
