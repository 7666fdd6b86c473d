import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { PostgresStore } from '../src/index.ts';
import { Author, commitIds } from '@conv/testing-harness';
import { CuttingProxy, type Cut } from './cutting-proxy.ts';
import { administer, freshSchema } from './fresh-schema.ts';
import { openStore } from './open-store.ts';

/** Makes a store whose connections can be cut, and another store beside it with direct connections. */
async function behindProxy(
  settings: { readonly requestTimeout?: number; readonly answerTimeout?: number } = {},
): Promise<{
  proxy: CuttingProxy;
  store: PostgresStore;
  other: PostgresStore;
  schema: string;
}> {
  const url = new URL(inject('postgresUrl'));
  const proxy = await CuttingProxy.start(Number(url.port));
  url.port = String(proxy.port);
  const schema = freshSchema();
  const store = new PostgresStore({ connectionString: url.href, schema, ...settings });
  onTestFinished(async () => {
    await store.close();
    await proxy.close();
  });
  return { proxy, store, other: openStore({ schema }).store, schema };
}

describe('a connection that is cut', () => {
  test.each<Cut>(['before', 'after'])('P1: an append that is cut off %s its commit is stored once', async (cut) => {
    const { proxy, store, other } = await behindProxy();
    const { author, journal } = await Author.open(store);
    for (let round = 0; round < 5; round++) {
      const { done } = proxy.cut(cut, '.append');
      await Promise.all([author.say(journal, `a${round}`), author.say(journal, `b${round}`), done]);
      const alone = proxy.cut(cut, '.append_one(');
      await Promise.all([author.say(journal, `c${round}`), alone.done]);
    }
    expect(await commitIds(await other.read(author.id))).toEqual(author.ids);
    expect(author.acknowledged.map(({ seq }) => seq)).toEqual(author.ids.map((_, at) => at));
    expect(author.acknowledged.map(({ firstEvent }) => firstEvent)).toEqual(
      author.ids.map((_, at) => Math.max(0, at - 1)),
    );
  });

  test('P1: an append that reaches the server after its refusal is not stored', async () => {
    const { proxy, store, other, schema } = await behindProxy();
    const { author, journal } = await Author.open(store);
    // the disk is full for the second attempt, which follows once the first one is settled
    await administer(`
      CREATE FUNCTION "${schema}".full() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF (SELECT turn FROM "${schema}".heads WHERE key = NEW.log) > 0 THEN
          RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full';
        END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER full_disk BEFORE INSERT ON "${schema}".commits FOR EACH ROW EXECUTE FUNCTION "${schema}".full()`);
    const cut = proxy.cut('late', '.append');
    const refused = journal.append({ id: randomUUID(), events: [] }, author.fields);
    await expect(refused).rejects.toMatchObject({ code: 'FULL' });
    await administer(`DROP TRIGGER full_disk ON "${schema}".commits`);
    await cut.deliver();
    expect(await commitIds(await other.read(author.id))).toEqual(author.ids);
    await author.say(journal, 'and then this');
    expect(await commitIds(await other.read(author.id))).toEqual(author.ids);
  });

  test('P1: an append that cannot be settled rejects OUTCOME_UNKNOWN, and the journal settles it later', async () => {
    const { proxy, store, other } = await behindProxy({ requestTimeout: 0 });
    const { author, journal } = await Author.open(store);
    proxy.cut('after', '.append');
    const commit = { id: randomUUID(), events: [] };
    await expect(journal.append(commit, author.fields)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await author.say(journal, 'behind it');
    expect(await commitIds(await other.read(author.id))).toEqual([author.ids[0], commit.id, author.ids[1]]);
    expect(author.acknowledged.at(-1)).toMatchObject({ seq: 2, firstEvent: 0 });
    expect(journal.end).toEqual({ seq: 3, event: 1 });
  });

  test.each<Cut>(['before', 'after'])('an acquisition that is cut off %s its commit is acquired once', async (cut) => {
    const { proxy, store, other } = await behindProxy();
    const id = randomUUID();
    await store.list();
    const { done } = proxy.cut(cut, '.acquire(');
    const journal = await store.open(id, { create: 'must', owner: 'one' });
    await done;
    expect(journal.epoch).toBe(1);
    await expect(other.open(id, { owner: 'other' })).rejects.toMatchObject({ code: 'OWNED' });
    await journal.close();
    await other.open(id, { create: 'never', owner: 'other' });
  });

  test('an acquisition whose answer was lost does not keep the store from its conversation', async () => {
    const { proxy, store } = await behindProxy();
    const id = randomUUID();
    await store.list();
    const cuts = [proxy.cut('after', '.acquire('), proxy.cut('before', '.acquire(')];
    await expect(store.open(id, { create: 'must', owner: 'one' })).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await Promise.all(cuts.map(({ done }) => done));
    await store.open(id, { create: 'never', owner: 'again' });
  });

  test('a lost release does not keep the store from its conversation', async () => {
    const { proxy, store } = await behindProxy();
    const { author, journal } = await Author.open(store);
    proxy.cut('before', '.release(');
    proxy.cut('before', '.release(');
    await journal.close();
    const again = await store.open(author.id, { create: 'never', owner: 'again' });
    expect(await commitIds(again)).toEqual(author.ids);
  });

  test.each(['before', 'after'] as const)('a fork that is cut off %s its commit is made once', async (cut) => {
    const { proxy, store, other } = await behindProxy();
    const { author, journal } = await Author.open(store);
    await author.say(journal, 'forked');
    for (const from of [undefined, author.fields.leafEventId ?? '']) {
      const newId = randomUUID();
      const { done } = proxy.cut(cut, 'COMMIT');
      await store.fork(author.id, newId, { ...(from === undefined ? {} : { from }), patch: { set: { id: newId } } });
      await done;
      expect(await commitIds(await other.read(newId))).toHaveLength(3);
    }
    await expect(store.fork(author.id, author.id, { patch: {} })).rejects.toMatchObject({ code: 'EXISTS' });
  });

  test.each(['before', 'after'] as const)('a deletion that is cut off %s its commit is executed', async (cut) => {
    const { proxy, store, other } = await behindProxy();
    const { author, journal } = await Author.open(store);
    await journal.close();
    const { done } = proxy.cut(cut, '.remove(');
    await store.delete(author.id);
    await done;
    expect(await other.read(author.id)).toBeUndefined();
  });

  test('P1: a deletion that cannot be settled rejects OUTCOME_UNKNOWN', async () => {
    const { proxy, store, other } = await behindProxy();
    const { author, journal } = await Author.open(store);
    await journal.close();
    proxy.cut('after', '.remove(');
    proxy.cut('before', '.remove(');
    await expect(store.delete(author.id)).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      cause: expect.any(Error) as Error,
    });
    expect(await other.read(author.id)).toBeUndefined();
  });

  test('P1: a fork whose COMMIT may still come in rejects OUTCOME_UNKNOWN', async () => {
    const { proxy, store, other } = await behindProxy({ answerTimeout: 3_000 });
    const { author } = await Author.open(store);
    const newId = randomUUID();
    const late = proxy.cut('late', 'COMMIT');
    const forked = store.fork(author.id, newId, { patch: { set: { id: newId } } });
    await expect(forked).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', cause: expect.any(Error) as Error });
    await late.deliver();
    expect(await commitIds(await other.read(newId))).toHaveLength(2);
  });

  test('P1: an append rejects OUTCOME_UNKNOWN if the server says that its completion is unknown', async () => {
    const { store, schema } = await behindProxy({ requestTimeout: 0 });
    const { author, journal } = await Author.open(store);
    await administer(`
      CREATE FUNCTION "${schema}".unknown() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'statement completion unknown' USING ERRCODE = '40003'; END $$;
      CREATE TRIGGER unknown BEFORE INSERT ON "${schema}".commits FOR EACH ROW EXECUTE FUNCTION "${schema}".unknown()`);
    await expect(journal.append({ id: randomUUID(), events: [] }, author.fields)).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
    });
    await administer(`DROP TRIGGER unknown ON "${schema}".commits`);
    await author.say(journal, 'settled');
    expect(await commitIds(journal)).toEqual(author.ids);
  });

  test('P7: a read that is cut off continues', async () => {
    const { proxy, store } = await behindProxy();
    const { author, journal } = await Author.open(store);
    for (let at = 0; at < 5; at++) await author.say(journal, `m${at}`);
    for (const cut of ['before', 'after'] as const) {
      const { done } = proxy.cut(cut, '.read_part(');
      expect(await commitIds(journal)).toEqual(author.ids);
      await done;
    }
  });
});

test('a statement without an answer in time is settled when the server has finished it', async () => {
  const { store, other, schema } = await behindProxy({ answerTimeout: 3_000 });
  const { author, journal } = await Author.open(store);
  const administrator = new Client({ connectionString: inject('postgresUrl') });
  await administrator.connect();
  onTestFinished(() => administrator.end());
  await administrator.query(`
    CREATE FUNCTION "${schema}".stall() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock(hashtextextended('${schema}', 0)); RETURN NEW; END $$;
    CREATE TRIGGER stall BEFORE INSERT ON "${schema}".commits FOR EACH ROW EXECUTE FUNCTION "${schema}".stall()`);
  await administrator.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [schema]);
  const said = author.say(journal, 'slow');
  await vi.waitUntil(
    async () => {
      const { rows } = await administrator.query(
        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1",
        [`SELECT * FROM "${schema}".settle(%`],
      );
      return rows.length > 0;
    },
    { timeout: 100_000 },
  );
  await administrator.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [schema]);
  await said;
  expect(await commitIds(await other.read(author.id))).toEqual(author.ids);
});
