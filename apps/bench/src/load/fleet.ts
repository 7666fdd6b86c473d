import { keptPort } from '@conv/testing-harness';
import { PostgresServer } from '@conv/testing-postgres-server';
import { Client } from 'pg';

import { Place } from '../place.ts';
import { LoadProcess } from './load-process.ts';

/** Servers, each a process of its own, on one database. */
export class Fleet implements AsyncDisposable {
  /** For questions about the database; what it does counts as any other's. */
  readonly client: Client;
  readonly #database: PostgresServer;
  readonly #place = new Place();
  readonly #servers: LoadProcess[] = [];

  private constructor(database: PostgresServer) {
    this.#database = database;
    this.client = new Client({ connectionString: database.url() });
  }

  /** Starts a database and so many servers. */
  static async start(servers: number, ...settings: readonly string[]): Promise<Fleet> {
    const fleet = new Fleet(await PostgresServer.start(...settings));
    await fleet.client.connect();
    while (fleet.#servers.length < servers) await fleet.add();
    return fleet;
  }

  /** The folder that conversations work in. */
  get directory(): string {
    return this.#place.directory;
  }

  /** The address of the database. */
  get connectionString(): string {
    return this.#database.url();
  }

  get servers(): readonly LoadProcess[] {
    return this.#servers;
  }

  /** Starts one more server. */
  async add(): Promise<LoadProcess> {
    const port = String(await keptPort());
    const server = await LoadProcess.start('fleet-server-worker', this.connectionString, this.directory, port);
    this.#servers.push(server);
    return server;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map((server) => server[Symbol.asyncDispose]()));
    await this.client.end();
    await this.#database.stop();
    await this.#place[Symbol.asyncDispose]();
  }
}
