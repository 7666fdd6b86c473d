import { PostgresServer } from '@conv/testing-postgres-server';
import { Client } from 'pg';

import { benchRoot } from './bench-folder.ts';

/** Databases of a PostgreSQL server that is started for the measurements, one for each program at each size. */
export class Databases implements AsyncDisposable {
  readonly #server: PostgresServer;
  #made = 0;

  private constructor(server: PostgresServer) {
    this.#server = server;
  }

  /** Starts a server with the settings that PostgreSQL has by default. Rejects where its programs are missing. */
  static async start(): Promise<Databases> {
    return new Databases(await PostgresServer.startIn(benchRoot(), 'shared_buffers=128MB'));
  }

  /** Resolves with the address of a new, empty database. */
  async make(): Promise<string> {
    const database = `bench_${this.#made++}`;
    await this.#tell(`CREATE DATABASE ${database}`);
    return this.#server.url({ database });
  }

  /** Removes a database that {@link make} made, also one in which a process that was killed has a connection. */
  async remove(address: string): Promise<void> {
    await this.#tell(`DROP DATABASE ${new URL(address).pathname.slice(1)} WITH (FORCE)`);
  }

  /** Has the server write what it would write during the next measurements. */
  settle(): Promise<void> {
    return this.#tell('CHECKPOINT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop();
  }

  async #tell(statement: string): Promise<void> {
    const client = new Client({ connectionString: this.#server.url() });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  }
}
