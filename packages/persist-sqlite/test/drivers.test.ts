import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { failureOf, isBusy, storeCodeOf } from '../src/database/refusal.ts';
import { betterSqlite3, nodeSqlite, type SqliteDatabase, type SqliteDriverModule } from '../src/index.ts';
import { freshFile, freshFolder, freshStore } from './fresh-folder.ts';

describe.each([nodeSqlite, betterSqlite3])('errors that $name throws', ({ module }) => {
  async function driver(): Promise<SqliteDriverModule> {
    return (await import(module)) as SqliteDriverModule;
  }

  async function made(): Promise<{ library: SqliteDriverModule; file: string; database: SqliteDatabase }> {
    const [library, file] = [await driver(), await freshFile()];
    const database = library.openDatabase(file, { readOnly: false });
    database.exec('CREATE TABLE t (a TEXT)');
    database.prepare('INSERT INTO t VALUES (?)').run('x'.repeat(20_000));
    return { library, file, database };
  }

  function thrownBy(action: () => void): unknown {
    try {
      action();
    } catch (error) {
      return error;
    }
    throw new Error('nothing was thrown');
  }

  test('a full database has the code FULL', async () => {
    const { library, file, database } = await made();
    database.exec('PRAGMA max_page_count = 10');
    const error = thrownBy(() => database.prepare('INSERT INTO t VALUES (?)').run('x'.repeat(100_000)));
    expect(storeCodeOf(error, library, file)).toBe('FULL');
    database.close();
  });

  test('a lock of another connection has the code UNAVAILABLE and is busy', async () => {
    const { library, file, database } = await made();
    const other = library.openDatabase(file, { readOnly: false });
    other.exec('PRAGMA busy_timeout = 0');
    database.exec('BEGIN IMMEDIATE');
    const error = thrownBy(() => other.exec('BEGIN IMMEDIATE'));
    expect([storeCodeOf(error, library, file), isBusy(error, library)]).toEqual(['UNAVAILABLE', true]);
    other.close();
    database.close();
  });

  test('a write to a read-only database has the code DENIED', async () => {
    const { library, file, database } = await made();
    database.close();
    const reading = library.openDatabase(file, { readOnly: true });
    const error = thrownBy(() => reading.exec('INSERT INTO t VALUES (1)'));
    expect([storeCodeOf(error, library, file), isBusy(error, library)]).toEqual(['DENIED', false]);
    reading.close();
  });

  test('a damaged page or a foreign file has the code CORRUPT', async () => {
    const { library, file, database } = await made();
    database.close();
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xff, 4096, 8192));
    const damaged = library.openDatabase(file, { readOnly: false });
    expect(
      storeCodeOf(
        thrownBy(() => damaged.prepare('SELECT * FROM t').get()),
        library,
        file,
      ),
    ).toBe('CORRUPT');
    damaged.close();
    writeFileSync(file, 'no database '.repeat(100));
    const error = thrownBy(() => library.openDatabase(file, { readOnly: false }).prepare('SELECT 1 FROM t').get());
    expect(storeCodeOf(error, library, file)).toBe('CORRUPT');
  });

  test('a path that cannot be opened has the code UNAVAILABLE', async () => {
    const [library, file] = [await driver(), join(await freshFolder(), 'none', 'conversations.db')];
    const error = thrownBy(() => library.openDatabase(file, { readOnly: false }));
    const failure = failureOf(error, library, file);
    expect(failure).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining(file) as string });
    expect(failure.cause).toMatchObject({ message: (error as Error).message });
  });

  test('an error of another origin than SQLite has no result code', async () => {
    const library = await driver();
    expect(storeCodeOf(new Error('something else'), library, 'file')).toBeUndefined();
    expect(storeCodeOf(Object.assign(new Error('no entry'), { code: 'ENOENT' }), library, 'file')).toBeUndefined();
  });
});

test('better-sqlite3 is tested in a version that the package asks for', () => {
  const require = createRequire(import.meta.url);
  const own = require('../package.json') as { readonly peerDependencies: { readonly 'better-sqlite3': string } };
  const { version } = require('better-sqlite3/package.json') as { readonly version: string };
  expect(own.peerDependencies['better-sqlite3']).toBe(`>=${version.split('.')[0]}`);
});

test('P13: a driver that cannot be loaded for want of descriptors is not taken for a missing one', async () => {
  const folder = await freshFolder();
  const [module, flag] = [join(folder, 'driver.mjs'), join(folder, 'shortage')];
  writeFileSync(flag, '');
  writeFileSync(
    module,
    `import { existsSync } from 'node:fs';
     if (existsSync(${JSON.stringify(flag)}))
       throw Object.assign(new Error('EMFILE: too many open files, open driver'), { code: 'EMFILE' });
     const driver = await import(${JSON.stringify(nodeSqlite.module)});
     export const { openDatabase, resultCode } = driver;`,
  );
  const store = await freshStore({ driver: { name: 'short', module: pathToFileURL(module).href } });
  await expect(store.open(randomUUID(), { owner: 'test' })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('too many open files') as string,
  });
  rmSync(flag);
  const journal = await store.open(randomUUID(), { owner: 'test' });
  expect(journal.end.seq).toBe(0);
});
