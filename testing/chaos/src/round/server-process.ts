import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import type { ServerPlan } from '../server-plan.ts';

const PROGRAM = fileURLToPath(new URL('../server.js', import.meta.url));

/** A port at which no process listens: while a server is away, another process may be given its port. */
const NOBODY = 1;

/** An agent server in its own process, which is killed and restarted on its stored data. */
export class ServerProcess {
  readonly plan: ServerPlan;
  /** The end of its standard error. */
  errors = '';
  kills = 0;
  #process: ChildProcess | undefined;
  #port = NOBODY;

  private constructor(plan: ServerPlan) {
    this.plan = plan;
  }

  static async start(plan: ServerPlan): Promise<ServerProcess> {
    const server = new ServerProcess(plan);
    await server.#start();
    return server;
  }

  /** The port at which it listens. */
  get port(): number {
    return this.#port;
  }

  /** Kills the server, and restarts it after `away` milliseconds. */
  async kill(away: number): Promise<void> {
    this.kills++;
    await this.#end();
    await new Promise((resolve) => setTimeout(resolve, away));
    await this.#start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }

  async #end(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    this.#port = NOBODY;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  async #start(): Promise<void> {
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify(this.plan)], { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#process = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.errors = (this.errors + text).slice(-4000);
    });
    this.#port = await new Promise<number>((resolve, reject) => {
      child.stdout.once('data', (line: Buffer) => resolve(Number(line.toString())));
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${this.errors}`)));
    });
  }
}
