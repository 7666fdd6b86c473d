import { describe, expect, test } from 'vitest';
import { systemPlatform } from '@conv/core/platform';
import { Connection } from '../src/database/connection.ts';
import { migrations } from '../src/database/migrations.ts';
import { migrate, versionOf } from '../src/database/schema.ts';
import * as driver from '../src/drivers/node-sqlite-in-worker.ts';
import { betterSqlite3, nodeSqlite, type SqliteDriverModule } from '../src/index.ts';
import { openConnection } from '../src/database/open-connection.ts';
import { Author } from '@conv/testing-harness';
import { freshFile, freshStore } from './fresh-folder.ts';

async function connect(file?: string): Promise<Connection> {
  const path = file ?? (await freshFile());
  return new Connection(path, driver, driver.openDatabase(path, { readOnly: false }), systemPlatform);
}

test.each([nodeSqlite, betterSqlite3])(
  'P1: a registry on $name flushes every transaction before it counts',
  async ({ module }) => {
    const loaded = (await import(module)) as SqliteDriverModule;
    const connection = openConnection(
      loaded,
      { file: await freshFile(), busyTimeout: 1234, readOnly: false },
      systemPlatform,
    );
    const pragma = (name: string): unknown => Object.values(connection.get(`PRAGMA ${name}`) ?? {})[0];
    expect([pragma('journal_mode'), pragma('synchronous'), pragma('busy_timeout')]).toEqual(['wal', 2, 1234]);
    connection.close();
  },
);

describe('the schema', () => {
  test('the schema goes forward step by step, and stored conversations stay', async () => {
    const connection = await connect();
    migrate(connection);
    connection.run('INSERT INTO garbage VALUES (5, 6, 7)');
    const next = [...migrations, 'ALTER TABLE garbage ADD COLUMN reason TEXT', 'CREATE TABLE more (a INTEGER) STRICT'];
    migrate(connection, next);
    migrate(connection, next);
    expect(versionOf(connection, next.length)).toBe(migrations.length + 2);
    expect({ ...connection.get('SELECT * FROM garbage') }).toEqual({
      log: 5,
      from_seq: 6,
      from_event: 7,
      reason: null,
    });
    connection.close();
  });

  test('the schema stays as it was when a step fails', async () => {
    const connection = await connect();
    migrate(connection);
    const next = [...migrations, 'CREATE TABLE more (a INTEGER) STRICT', 'CREATE TABLE more (a INTEGER) STRICT'];
    expect(() => migrate(connection, next)).toThrow('more');
    expect(versionOf(connection)).toBe(migrations.length);
    expect(connection.get("SELECT 1 FROM sqlite_schema WHERE name = 'more'")).toBeUndefined();
    connection.close();
  });

  test('P2: a newer schema fences a running program, which then opens no conversation any more', async () => {
    const store = await freshStore();
    const [author, other] = [new Author(), new Author()];
    const journal = await store.open(author.id, { owner: 'older' });
    await author.begin(journal);
    const connection = await connect(store.file);
    migrate(connection, [...migrations, 'CREATE TABLE more (a INTEGER) STRICT']);
    connection.close();
    await expect(author.say(journal, 'late')).rejects.toMatchObject({ code: 'FENCED' });
    await expect(store.open(other.id, { owner: 'older' })).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    await expect(store.fork(author.id, other.id, { patch: {} })).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    await expect(store.delete(author.id)).rejects.toMatchObject({ code: 'UNSUPPORTED' });
  });

  test('an empty database has schema version 0 and no tables', async () => {
    const connection = await connect();
    expect(versionOf(connection)).toBe(0);
    expect(connection.get('SELECT 1 FROM sqlite_schema')).toBeUndefined();
    connection.close();
  });
});
