import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { Client } from 'pg';

import { PlainLog } from '../baseline.ts';
import type { PeerPlace, StorageKind } from './peer.ts';

/** Bare durable write of a text, which a measurement alternates with. */
export interface Floor {
  append(text: string): unknown;
  close(): Promise<void>;
}

/** Resolves with the plainest durable write to the same kind of storage; `undefined` for memory. */
export async function floorOf(kind: StorageKind, { directory, database }: PeerPlace): Promise<Floor | undefined> {
  if (kind === 'files') return new BareFile(directory);
  if (kind === 'sqlite') return new BareInsert(directory);
  if (kind === 'postgres') return BarePostgres.connect(database);
  return undefined;
}

class BareFile implements Floor {
  readonly #log: PlainLog;

  constructor(directory: string) {
    this.#log = new PlainLog(directory);
  }

  append(text: string): void {
    this.#log.append(text);
  }

  async close(): Promise<void> {
    this.#log[Symbol.dispose]();
  }
}

class BareInsert implements Floor {
  readonly #database: DatabaseSync;
  readonly #insert: ReturnType<DatabaseSync['prepare']>;

  constructor(directory: string) {
    this.#database = new DatabaseSync(join(directory, 'floor.db'));
    this.#database.exec('PRAGMA journal_mode = WAL');
    this.#database.exec('PRAGMA synchronous = FULL');
    this.#database.exec('CREATE TABLE rows (key INTEGER PRIMARY KEY, body TEXT NOT NULL)');
    this.#insert = this.#database.prepare('INSERT INTO rows (body) VALUES (?)');
  }

  append(text: string): void {
    this.#insert.run(text);
  }

  async close(): Promise<void> {
    this.#database.close();
  }
}

class BarePostgres implements Floor {
  readonly #client: Client;
  #key = 0;

  private constructor(client: Client) {
    this.#client = client;
  }

  static async connect(connectionString: string | undefined): Promise<BarePostgres> {
    const client = new Client({ ...(connectionString !== undefined && { connectionString }) });
    await client.connect();
    await client.query('CREATE TABLE IF NOT EXISTS bench_floor (key bigint PRIMARY KEY, body text NOT NULL)');
    await client.query('TRUNCATE bench_floor');
    return new BarePostgres(client);
  }

  async append(text: string): Promise<void> {
    await this.#client.query({
      name: 'floor',
      text: 'INSERT INTO bench_floor (key, body) VALUES ($1, $2)',
      values: [this.#key++, text],
    });
  }

  async close(): Promise<void> {
    await this.#client.query('DROP TABLE bench_floor');
    await this.#client.end();
  }
}
