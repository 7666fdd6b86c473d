import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Milliseconds in which the service listens, and between two looks. */
const START = 30_000;
const LOOK = 50;

/** Marks containers and volumes of `@conv/container`. */
const OURS = 'label=conv.workspace=true';

const run = promisify(execFile);

interface Listed {
  readonly Id?: string;
  readonly Name?: string;
  readonly Pid?: number;
  readonly Labels?: Readonly<Record<string, string>> | null;
}

/** The engine of the containers in which conversations act: Podman, with a service of its own. */
export class Podman implements AsyncDisposable {
  /** The socket of the service. */
  readonly socket: string;
  readonly #service: ChildProcess;

  private constructor(socket: string, service: ChildProcess) {
    this.socket = socket;
    this.#service = service;
  }

  /** Starts the service at a socket in a folder. Rejects where Podman does not run. */
  static async start(folder: string): Promise<Podman> {
    const socket = join(folder, 'podman.sock');
    // with an engine elsewhere in its environment Podman would be its client
    const env = { ...process.env, CONTAINER_HOST: undefined };
    // a container that had no memory left leaves a file where the service works
    const at = { cwd: folder, stdio: 'ignore', env } as const;
    const service = spawn('podman', ['system', 'service', '--time=0', `unix://${socket}`], at);
    const podman = new Podman(socket, service);
    let problem = 'it has ended';
    service.once('error', (error) => (problem = error.message));
    for (const until = Date.now() + START; !existsSync(socket);) {
      const isGone = service.pid === undefined || service.exitCode !== null || service.signalCode !== null;
      if (!isGone && Date.now() < until) {
        await sleep(LOOK);
        continue;
      }
      await podman[Symbol.asyncDispose]();
      throw new Error(`expected a service of podman, found none (${problem}); run apt-get install podman runc`);
    }
    return podman;
  }

  /** Resolves with the first processes of the containers that run with this folder. */
  async containersOf(folder: string): Promise<readonly number[]> {
    return (await this.#containers(folder)).flatMap(({ Pid }) => (Pid === undefined || Pid === 0 ? [] : Pid));
  }

  /** Resolves with words for all containers and volumes with this folder, also of containers that have ended. */
  async remainsOf(folder: string): Promise<readonly string[]> {
    const containers = (await this.#containers(folder)).map(({ Id = '' }) => `container ${Id}`);
    const volumes = (await this.#volumes(folder)).map(({ Name = '' }) => `volume ${Name}`);
    return [...containers, ...volumes];
  }

  /** Removes all containers and volumes with this folder. */
  async removeOf(folder: string): Promise<void> {
    for (const { Id = '' } of await this.#containers(folder)) await run('podman', ['rm', '--force', '--volumes', Id]);
    for (const { Name = '' } of await this.#volumes(folder)) await run('podman', ['volume', 'rm', '--force', Name]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { pid, exitCode, signalCode } = this.#service;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const gone = once(this.#service, 'exit');
    this.#service.kill();
    await gone;
  }

  async #containers(folder: string): Promise<readonly Listed[]> {
    return listed(folder, ['ps', '--all', '--filter', OURS, '--format', 'json']);
  }

  async #volumes(folder: string): Promise<readonly Listed[]> {
    return listed(folder, ['volume', 'ls', '--filter', OURS, '--format', 'json']);
  }
}

/** Resolves with what a command of Podman lists, as far as its options name the folder. */
async function listed(folder: string, args: readonly string[]): Promise<readonly Listed[]> {
  const { stdout } = await run('podman', [...args], { maxBuffer: 2 ** 26 });
  const all = (JSON.parse(stdout || '[]') ?? []) as readonly Listed[];
  return all.filter(({ Labels }) => Labels?.['conv.options']?.includes(JSON.stringify(folder)));
}
