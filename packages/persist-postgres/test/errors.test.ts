import { randomUUID } from 'node:crypto';
import { toEventIndex } from '@conv/core/store';
import { Pool } from 'pg';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { PostgresRegistry, PostgresStore } from '../src/index.ts';
import { Author, commitIds, keptPort } from '@conv/testing-harness';
import { administer, freshSchema } from './fresh-schema.ts';
import { openStore } from './open-store.ts';

function changed(change: (url: URL) => void): string {
  const url = new URL(inject('postgresUrl'));
  change(url);
  return url.href;
}

describe('what cannot be reached or used', () => {
  const wrong: readonly [string, (url: URL) => void, string][] = [
    ['a wrong password', (url) => (url.password = 'wrong'), 'DENIED'],
    ['no password', (url) => (url.password = ''), 'DENIED'],
    ['an unknown user', (url) => (url.username = 'nobody'), 'DENIED'],
    ['an unknown database', (url) => (url.pathname = '/nowhere'), 'DENIED'],
    ['an unknown host', (url) => (url.hostname = 'host.invalid'), 'UNAVAILABLE'],
    ['TLS where there is none', (url) => (url.search = '?sslmode=require&uselibpqcompat=true'), 'UNAVAILABLE'],
  ];
  test.each(wrong)('%s', async (_, change, code) => {
    const { store } = openStore({ url: changed(change), requestTimeout: 0 });
    await expect(store.list()).rejects.toMatchObject({ code, cause: expect.any(Error) });
    await expect(store.open(randomUUID(), { owner: 'a' })).rejects.toMatchObject({ code, cause: expect.any(Error) });
  });

  test('a port without a listener is UNAVAILABLE', async () => {
    const port = await keptPort();
    const { store } = openStore({ url: changed((url) => (url.port = String(port))) });
    await expect(store.list()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('check that PostgreSQL runs at this address'),
    });
  });

  test('an address of something else is refused, and its password is not repeated', () => {
    for (const connectionString of ['localhost:5432/conv', 'mysql://conv:hunter2@127.0.0.1/conv', 'host=db user=conv'])
      for (const make of [
        () => new PostgresStore({ connectionString }),
        () => new PostgresRegistry({ connectionString }),
      ])
        expect(make).toThrow(
          /connectionString: expected text such as '[^']*', found text that does not begin with postgres:\/\/$/,
        );
  });

  test('a role without the right to write reads, and its writes reject DENIED', async () => {
    const { store, schema } = openStore();
    const { author, journal } = await Author.open(store);
    await author.say(journal, 'there');
    const role = `reader_${randomUUID().slice(0, 8)}`;
    await administer(`CREATE ROLE ${role} LOGIN PASSWORD 'reads'; GRANT USAGE ON SCHEMA "${schema}" TO ${role};
      GRANT SELECT ON ALL TABLES IN SCHEMA "${schema}" TO ${role}`);
    const { store: reads } = openStore({
      schema,
      url: changed((url) => {
        url.username = role;
        url.password = 'reads';
      }),
    });
    expect(await commitIds(await reads.read(author.id))).toEqual(author.ids);
    expect((await reads.list()).items).toHaveLength(1);
    await expect(reads.open(author.id, { owner: 'a' })).rejects.toMatchObject({ code: 'DENIED' });
    await expect(reads.delete(author.id)).rejects.toMatchObject({ code: 'DENIED' });
    await expect(reads.fork(author.id, randomUUID(), { patch: {} })).rejects.toMatchObject({ code: 'DENIED' });
  });

  test('a read-only session reads, and its writes reject DENIED', async () => {
    const { store, schema } = openStore();
    const { author } = await Author.open(store);
    const pool = new Pool({
      connectionString: inject('postgresUrl'),
      options: '-c default_transaction_read_only=on',
    });
    onTestFinished(() => pool.end());
    const reads = new PostgresStore({ pool, schema });
    expect(await commitIds(await reads.read(author.id))).toEqual(author.ids);
    await expect(reads.open(author.id, { owner: 'a' })).rejects.toMatchObject({ code: 'DENIED' });
    await reads.close();
  });
});

test('an append without space rejects FULL, is not stored, and the journal continues when there is space', async () => {
  const { store, schema } = openStore();
  const { author, journal } = await Author.open(store);
  await administer(`
    CREATE FUNCTION "${schema}".full() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
    CREATE TRIGGER full_disk BEFORE INSERT ON "${schema}".commits FOR EACH ROW EXECUTE FUNCTION "${schema}".full()`);
  const both = await Promise.allSettled(
    [1, 2].map(() => journal.append({ id: randomUUID(), events: [] }, author.fields)),
  );
  for (const outcome of both) expect(outcome).toMatchObject({ reason: { code: 'FULL' } });
  await administer(`DROP TRIGGER full_disk ON "${schema}".commits`);
  await author.say(journal, 'there is space');
  expect(await commitIds(journal)).toEqual(author.ids);
});

describe('P4: changes of the tables by other programs', () => {
  test('a changed commit is named as damage, and all others read back', async () => {
    const { store, schema } = openStore();
    const { author, journal } = await Author.open(store);
    for (let at = 0; at < 5; at++) await author.say(journal, `message ${at}`);
    await administer(`UPDATE "${schema}".commits SET body = replace(body, 'message 1', 'message 7') WHERE seq = 2`);
    await administer(`UPDATE "${schema}".commits SET body = '{' WHERE seq = 4`);
    expect(await commitIds(journal)).toEqual(author.ids.filter((_, at) => at !== 2 && at !== 4));
    expect(journal.damage.map(({ from, to }) => [from, to])).toEqual([
      [2, 2],
      [4, 4],
    ]);
  });

  test('a damaged summary is listed as unreadable, a damaged snapshot is ignored, and all commits read back', async () => {
    const { store, schema } = openStore();
    const { author, journal } = await Author.open(store);
    await author.say(journal, 'message');
    await journal.saveSnapshot({ seq: journal.end.seq, version: 1, data: {} });
    await administer(`UPDATE "${schema}".summaries SET tags = '{'; UPDATE "${schema}".snapshots SET data = '{'`);
    const { items } = await store.list();
    expect(items).toMatchObject([{ id: author.id, title: null, tags: {} }]);
    expect(items[0]?.unreadable).toContain('its summary is damaged');
    expect(await journal.snapshot()).toBeUndefined();
    expect(await commitIds(journal)).toEqual(author.ids);
  });

  test('P4: removed commits are named as damage, also at the end, and events around them are found', async () => {
    const { store, schema } = openStore();
    const { author, journal } = await Author.open(store);
    for (let at = 0; at < 7; at++) await author.say(journal, `message ${at}`);
    await administer(`DELETE FROM "${schema}".commits WHERE seq IN (2, 3, 7)`);
    expect(await commitIds(journal)).toEqual(author.ids.filter((_, at) => ![2, 3, 7].includes(at)));
    expect(journal.damage.map(({ from, to }) => [from, to])).toEqual([
      [2, 3],
      [7, 7],
    ]);
    const found = await Array.fromAsync(journal.commits({ fromEvent: toEventIndex(3), toEvent: toEventIndex(4) }));
    expect(found.map(({ seq }) => seq)).toEqual([4]);
  });

  test('a page that the server cannot read loses the commits on it', async () => {
    const { store, schema } = openStore();
    const { author, journal } = await Author.open(store);
    for (let at = 0; at < 6; at++) await author.say(journal, `message ${at}`);
    // like the server's report of a damaged page, for one row
    await administer(`
      CREATE FUNCTION "${schema}".page(seq bigint, body text) RETURNS text LANGUAGE plpgsql AS $$
      BEGIN
        IF seq = 3 THEN RAISE EXCEPTION 'invalid page in block 0' USING ERRCODE = 'data_corrupted'; END IF;
        RETURN body;
      END $$;
      ALTER TABLE "${schema}".commits RENAME TO whole;
      CREATE VIEW "${schema}".commits AS
        SELECT log, seq, epoch, first_event, events, crc, id, "${schema}".page(seq, body) AS body FROM "${schema}".whole`);
    expect(await commitIds(journal)).toEqual(author.ids.filter((_, at) => at !== 3));
    expect(journal.damage).toMatchObject([{ from: 3, to: 3, reason: expect.stringContaining('invalid page') }]);
  });
});

describe('impossible values', () => {
  test.each([
    [{}, /pool or connectionString/],
    [{ connectionString: 'postgres://x', schema: 'a"b' }, /schema/],
    [{ connectionString: 'postgres://x', schema: 'A' }, /schema/],
    [{ connectionString: 'postgres://x', schema: '' }, /schema/],
    [{ connectionString: 'postgres://x', lease: 99 }, /lease/],
    [{ connectionString: 'postgres://x', requestTimeout: Number.NaN }, /requestTimeout/],
    [{ connectionString: 'postgres://x', answerTimeout: 0 }, /answerTimeout/],
    [{ connectionString: 'postgres://x', pollInterval: -1 }, /pollInterval/],
  ])('the constructor refuses the options %j with a TypeError', (options, text) => {
    const make = (): unknown => new PostgresStore(options as ConstructorParameters<typeof PostgresStore>[0]);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(text);
  });

  test('texts with characters that the database refuses are listed without these characters', async () => {
    const { store } = openStore({ schema: freshSchema() });
    const { author, journal } = await Author.open(store, 'an \0owner');
    const strange = { title: 'a\0b', tags: { '\0': '\u{d800}' }, createdAt: `2026\0${'x'.repeat(9000)}` };
    await author.change(journal, { set: strange });
    await author.change(journal, { set: { executionStatus: 'a\0b' as 'idle', parentId: 'p\0q' } });
    await journal.append({ id: 'an \0id', events: [] }, author.fields);
    expect(await journal.locate('\0')).toBeUndefined();
    const [item] = (await store.list({ status: 'a\0b' })).items;
    expect(item).toMatchObject({ title: 'a\0b', status: 'ab', parentId: 'pq' });
    expect(await Array.fromAsync(journal.commits())).toHaveLength(4);
  });
});
