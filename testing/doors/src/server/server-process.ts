import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import type { ServerPlan } from './server-plan.ts';

const PROGRAM = fileURLToPath(import.meta.resolve('@conv/testing-doors/server'));

/** A server of the doors in a process of its own, which is killed and started again on what it has stored. */
export class ServerProcess {
  /** The end of its standard error. */
  errors = '';
  port = 1;
  readonly #plan: ServerPlan;
  #child: ChildProcess | undefined;

  constructor(plan: ServerPlan) {
    this.#plan = plan;
  }

  /** Resolves when it listens. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify(this.#plan)], { stdio: 'pipe' });
    this.#child = child;
    child.stderr.on('data', (part) => (this.errors = `${this.errors}${String(part)}`.slice(-4000)));
    const listens = once(child.stdout, 'data').then(([line]) => Number(String(line)));
    const ended = once(child, 'exit').then(() => Promise.reject(new Error(`the server ended: ${this.errors}`)));
    ended.catch(() => {});
    this.port = await Promise.race([listens, ended]);
  }

  /** Kills it; resolves when it is gone. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
}
