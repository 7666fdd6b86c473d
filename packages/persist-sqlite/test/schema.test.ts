import { describe, expect, test } from 'vitest';
import { Connection } from '../src/database/connection.ts';
import { migrate, migrations, versionOf } from '../src/database/schema.ts';
import * as driver from '../src/drivers/node-sqlite.ts';
import { freshFile } from './fresh-folder.ts';

async function connect(file?: string): Promise<Connection> {
  const path = file ?? (await freshFile());
  return new Connection(path, driver, driver.openDatabase(path, { readOnly: false }));
}

describe('the schema', () => {
  test('goes forward step by step, and what was stored stays', async () => {
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

  test('stays as it was when a step fails', async () => {
    const connection = await connect();
    migrate(connection);
    const next = [...migrations, 'CREATE TABLE more (a INTEGER) STRICT', 'CREATE TABLE more (a INTEGER) STRICT'];
    expect(() => migrate(connection, next)).toThrow('more');
    expect(versionOf(connection)).toBe(migrations.length);
    expect(connection.get("SELECT 1 FROM sqlite_schema WHERE name = 'more'")).toBeUndefined();
    connection.close();
  });

  test('of an empty database has version 0 and nothing in it', async () => {
    const connection = await connect();
    expect(versionOf(connection)).toBe(0);
    expect(connection.get('SELECT 1 FROM sqlite_schema')).toBeUndefined();
    connection.close();
  });
});
