import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { keptPort } from '@conv/testing-harness';
import { findBinaries, type PostgresBinaries } from './postgres-binaries.ts';

const run = promisify(execFile);

/** The user without files. The server runs as this user when the tests run as root, which it refuses. */
export const NOBODY = 65_534;

type User = { readonly uid: number; readonly gid: number } | Record<string, never>;

/** Parts of a {@link PostgresServer.url} that differ from the server's own. */
export interface ConnectionOverrides {
  readonly user?: string;
  readonly password?: string;
  readonly port?: number;
  readonly database?: string;
}

/** A real PostgreSQL server in a folder of its own, on a free port of this machine. */
export class PostgresServer {
  readonly password: string = randomBytes(12).toString('hex');
  readonly folder: string;
  #programs: PostgresBinaries | undefined;
  readonly #user: User;
  readonly #settings: readonly string[];
  #port = 0;
  #process: ChildProcess | undefined;

  private constructor(place: string, settings: readonly string[]) {
    const isRoot = process.getuid?.() === 0;
    this.#user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
    this.#settings = settings;
    this.folder = mkdtempSync(join(place, 'conv-postgres-'));
    chmodSync(this.folder, 0o755);
    for (const name of ['data', 'sockets']) {
      mkdirSync(join(this.folder, name), { mode: 0o700 });
      if (isRoot) chownSync(join(this.folder, name), NOBODY, NOBODY);
    }
  }

  /** Resolves when the server takes connections; `settings` as in `name=value`. */
  static start(...settings: readonly string[]): Promise<PostgresServer> {
    return PostgresServer.startIn(tmpdir(), ...settings);
  }

  /** The same in a folder that is made in `place`. */
  static async startIn(place: string, ...settings: readonly string[]): Promise<PostgresServer> {
    const server = new PostgresServer(place, settings);
    try {
      await server.#initialise();
      for (;;) {
        const failure = await server.#launch(await keptPort()).catch((error: unknown) => error);
        if (failure === undefined) return server;
        // another program took the port first
        if (!(failure instanceof Error && failure.message.includes('Address already in use'))) throw failure;
      }
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  get port(): number {
    return this.#port;
  }

  /** Returns the address of the server, for a user with a password. */
  url(overrides: ConnectionOverrides = {}): string {
    const { user = 'conv', password = this.password, port = this.#port, database = 'postgres' } = overrides;
    return `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
  }

  /** Ends it as an administrator does: connections are told and closed. */
  async shutDown(): Promise<void> {
    await this.#end('SIGINT');
  }

  /** Ends it as a loss of power does, as far as the operating system allows. */
  async crash(): Promise<void> {
    await this.#end('SIGQUIT');
  }

  /** Starts it again where it was. */
  async startAgain(): Promise<void> {
    await this.#launch(this.#port);
  }

  /** Ends it and removes all it had. */
  async stop(): Promise<void> {
    await this.#end('SIGQUIT');
    rmSync(this.folder, { recursive: true, force: true });
  }

  get #binaries(): PostgresBinaries {
    this.#programs ??= findBinaries(this.folder, process.getuid?.() === 0);
    return this.#programs;
  }

  async #initialise(): Promise<void> {
    const passwordFile = join(this.folder, 'sockets', 'password');
    writeFileSync(passwordFile, this.password, { mode: 0o644 });
    await run(
      this.#binaries.initdb,
      [
        '-D',
        join(this.folder, 'data'),
        '-U',
        'conv',
        `--pwfile=${passwordFile}`,
        '-A',
        'scram-sha-256',
        '-E',
        'UTF8',
        '--locale=C',
        // a test connects often, and its password needs no protection
        '--set=scram_iterations=1',
        '--no-instructions',
        // the folder need not survive a loss of power before the first start
        '--no-sync',
      ],
      { env: this.#binaries.environment, cwd: this.folder, ...this.#user },
    );
  }

  async #launch(port: number): Promise<void> {
    const settings = [
      `port=${port}`,
      'listen_addresses=127.0.0.1',
      `unix_socket_directories=${join(this.folder, 'sockets')}`,
      'max_connections=200',
      'shared_buffers=64MB',
      ...this.#settings,
    ];
    const server = spawn(
      this.#binaries.postgres,
      ['-D', join(this.folder, 'data'), ...settings.flatMap((setting) => ['-c', setting])],
      { env: this.#binaries.environment, cwd: this.folder, stdio: ['ignore', 'ignore', 'pipe'], ...this.#user },
    );
    this.#process = server;
    const kill = (): unknown => server.kill('SIGQUIT');
    process.once('exit', kill);
    server.once('exit', () => process.off('exit', kill));
    const lines: string[] = [];
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: server.stderr }).on('line', (line) => {
        if (lines.length < 50) lines.push(line);
        if (line.includes('ready to accept connections')) resolve();
      });
      server.once('error', reject);
      server.once('exit', (code) => reject(new Error(`postgres ended with ${code}:\n${lines.join('\n')}`)));
    });
    this.#port = port;
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const server = this.#process;
    this.#process = undefined;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  }
}
