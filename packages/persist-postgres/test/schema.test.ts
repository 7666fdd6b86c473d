import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { Pool } from 'pg';
import { PostgresStore } from '../src/index.ts';
import { migrate } from '../src/schema/migrate.ts';
import type { Query, Row } from '../src/postgres-pool.ts';
import { Author, commitIds } from '@conv/testing-harness';
import { administer, freshSchema } from './fresh-schema.ts';
import { openStore } from './open-store.ts';
import { PostgresServer } from '@conv/testing-postgres-server';

describe('the schema', () => {
  test('the schema is made on first use, and only then', async () => {
    const { store, schema } = openStore();
    const versions = `SELECT to_regclass('"${schema}".schema_versions')::text AS there`;
    expect(await administer(versions)).toEqual([{ there: null }]);
    expect((await store.list()).items).toEqual([]);
    expect(await administer(`SELECT version FROM "${schema}".schema_versions ORDER BY version`)).toEqual([
      { version: 1 },
      { version: 2 },
      { version: 3 },
      { version: 4 },
      { version: 5 },
      { version: 6 },
    ]);
  });

  test('P4: a schema whose version is lost is CORRUPT, and is not created again', async () => {
    const { store, schema } = openStore();
    const { author } = await Author.open(store);
    await administer(`DELETE FROM "${schema}".schema_versions`);
    await expect(openStore({ schema }).store.read(author.id)).rejects.toMatchObject({ code: 'CORRUPT' });
  });

  test('stores that make the schema at the same time make it once', async () => {
    const schema = freshSchema();
    const stores = Array.from({ length: 12 }, () => openStore({ schema }).store);
    const authors = await Promise.all(stores.map((store) => Author.open(store)));
    expect(await administer(`SELECT version FROM "${schema}".schema_versions ORDER BY version`)).toEqual([
      { version: 1 },
      { version: 2 },
      { version: 3 },
      { version: 4 },
      { version: 5 },
      { version: 6 },
    ]);
    expect((await stores[0]?.list())?.items).toHaveLength(authors.length);
  });

  test('a schema of a newer version is UNSUPPORTED, and the error names both versions', async () => {
    const { store, schema } = openStore();
    await store.list();
    await administer(`INSERT INTO "${schema}".schema_versions (version) VALUES (8)`);
    const { store: older } = openStore({ schema });
    const error: unknown = await older.open(randomUUID(), { owner: 'a' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'UNSUPPORTED', message: expect.stringMatching(/version 8.* 6 /) });
    await expect(older.read(randomUUID())).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    await administer(`DELETE FROM "${schema}".schema_versions WHERE version = 8`);
    expect((await older.list()).items).toEqual([]);
  });

  test('a missing schema is UNSUPPORTED when migrating is turned off, and is not made', async () => {
    const { store, schema } = openStore({ migrate: false });
    await expect(store.list()).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    expect(await administer(`SELECT to_regnamespace('${schema}')::text AS there`)).toEqual([{ there: null }]);
  });

  test('a role without the right to make the schema works with an existing one', async () => {
    const { store, schema } = openStore();
    await store.list();
    const role = `writer_${randomUUID().slice(0, 8)}`;
    await administer(`CREATE ROLE ${role} LOGIN PASSWORD 'writes'; GRANT USAGE ON SCHEMA "${schema}" TO ${role};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "${schema}" TO ${role}`);
    const url = new URL(inject('postgresUrl'));
    url.username = role;
    url.password = 'writes';
    const { store: limited } = openStore({ schema, url: url.href });
    const { author, journal } = await Author.open(limited);
    await author.say(journal, 'by a limited role');
    expect(await commitIds(await store.read(author.id))).toEqual(author.ids);
    const { store: nowhere } = openStore({ url: url.href });
    await expect(nowhere.list()).rejects.toMatchObject({ code: 'DENIED' });
  });

  test('a failed step leaves no change, and steps run one after the other', async () => {
    const schema = freshSchema();
    const pool = new Pool({ connectionString: inject('postgresUrl'), max: 1 });
    onTestFinished(() => pool.end());
    const query: Query = async (text, values) => (await pool.query(text, values)).rows as Row[];
    const attempt = async (steps: readonly string[]): Promise<void> => {
      await query('BEGIN', []);
      await migrate(query, { schema, migrations: steps.map((step) => (s: string) => step.replaceAll('s.', `${s}.`)) });
      await query('COMMIT', []);
    };
    const [first, second] = ['CREATE TABLE s.one (a int)', 'CREATE TABLE s.two (a int)'];
    await expect(attempt([first, second, 'CREATE TABLE nonsense'])).rejects.toThrow('syntax');
    await query('ROLLBACK', []);
    expect(await query('SELECT to_regnamespace($1)::text AS there', [schema])).toEqual([{ there: null }]);
    await attempt([first]);
    await attempt([first, second]);
    await attempt([first, second]);
    expect(await query(`SELECT version FROM "${schema}".schema_versions ORDER BY 1`, [])).toEqual([
      { version: 1 },
      { version: 2 },
    ]);
  });

  test('the database answers lists by index, however many conversations there are', async () => {
    const { store, schema } = openStore();
    await store.list();
    await administer(`INSERT INTO "${schema}".summaries
      SELECT n, gen_random_uuid(), '"t"', CASE WHEN n % 9 = 0 THEN 'paused' ELSE 'idle' END, '2026-01-01T' || n, now() - n * interval '1 s', '{}'
      FROM generate_series(1, 20000) n; ANALYZE "${schema}".summaries`);
    for (const [where, order] of [
      ['', 'updated_at DESC, id DESC'],
      ['', 'created_at, id'],
      ["WHERE status = 'paused'", 'updated_at DESC, id DESC'],
      ["WHERE status = 'paused' AND (created_at, id) > ('2026-01-01T5', gen_random_uuid())", 'created_at, id'],
    ]) {
      const plan = await administer(`EXPLAIN SELECT * FROM "${schema}".summaries ${where} ORDER BY ${order} LIMIT 21`);
      expect(JSON.stringify(plan)).toMatch(/Index Scan/);
    }
    expect((await store.list({ status: 'paused', limit: 100 })).items).toHaveLength(100);
  });
});

describe('a server that does not keep what it acknowledges', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start('fsync=off');
  });
  afterAll(() => server.stop());

  test('P1: a server with fsync off is UNSUPPORTED', async () => {
    const { store } = openStore({ url: server.url() });
    await expect(store.list()).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining('fsync'),
    });
  });
});

test('P1: a session with synchronous_commit off waits for the disk at each append', async () => {
  const pool = new Pool({ connectionString: inject('postgresUrl'), options: '-c synchronous_commit=off' });
  onTestFinished(() => pool.end());
  const schema = freshSchema();
  const store = new PostgresStore({ pool, schema });
  const { author, journal } = await Author.open(store);
  await administer(`
    CREATE TABLE "${schema}".seen (setting text);
    CREATE FUNCTION "${schema}".look() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO "${schema}".seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER look AFTER INSERT ON "${schema}".commits DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION "${schema}".look()`);
  await author.say(journal, 'durable');
  expect(await administer(`SELECT setting FROM "${schema}".seen`)).toEqual([{ setting: 'on' }]);
  await store.close();
});
