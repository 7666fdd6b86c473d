import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { serverProgram } from '@conv/agent-server';

/** Plan of a server. */
export interface ServerPlan {
  /** The unique name of the server in the fleet. */
  readonly name: string;
  readonly folder: string;
  readonly port: number;
  readonly environment: Readonly<Record<string, string>>;
  /** The variable in which its commands find which process of which server executes them. */
  readonly memberVariable: string;
  /** Told of each line that it logs, and which process it was. */
  readonly heard: (line: string, member: string) => void;
  /** Called when the server ends unexpectedly. */
  readonly fell: (how: string) => void;
}

/** Variables that would tell a server of this machine's own settings. */
const SETTINGS = /^(?:OH_|CONV_|OTEL_|LLM_|LOG_|SESSION_API_KEY|npm_|AWS_)/;

/** Milliseconds for a server to take requests, and between two questions whether it does. */
const START = 60_000;
const LOOK = 50;

/** An agent server as a process, which is struck and started again where it was. */
export class ServerProcess {
  readonly plan: ServerPlan;
  /** `stopped`: the process is there and does nothing. */
  state: 'down' | 'starting' | 'up' | 'stopped' = 'down';
  /** The end of its output; all of it is in a file of its folder. */
  log = '';
  #generation = 0;
  #process: ChildProcess | undefined;
  #wanted = false;

  constructor(plan: ServerPlan) {
    this.plan = plan;
  }

  /** The name of the server's present process. */
  get member(): string {
    return `${this.plan.name}.${this.#generation}`;
  }

  get url(): string {
    return `http://127.0.0.1:${this.plan.port}`;
  }

  /** Starts it; resolves when it takes requests. Rejects when it ends before, or takes too long. */
  async start(): Promise<void> {
    const { environment, memberVariable, folder, heard, fell } = this.plan;
    this.#generation++;
    this.state = 'starting';
    this.#wanted = true;
    const { member } = this;
    const child = spawn(process.execPath, [serverProgram], {
      cwd: folder,
      env: { ...inherited(), LOG_JSON: 'true', ...environment, [memberVariable]: member },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = child;
    createInterface({ input: child.stderr }).on('line', (line) => {
      this.log = `${this.log}${line}\n`.slice(-20_000);
      appendFileSync(join(folder, `${this.plan.name}.log`), `${line}\n`);
      heard(line, member);
    });
    const kill = (): unknown => child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', (code, signal) => {
      process.off('exit', kill);
      if (this.#process !== child) return;
      this.state = 'down';
      if (this.#wanted) fell(`${member} ended with ${signal ?? code}: ${this.log.slice(-2000)}`);
    });
    await this.#ready(child);
  }

  /** It is gone at once, with all that it had not stored. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Asks it to end in order; resolves with its status when it is gone. */
  async end(): Promise<number | NodeJS.Signals | null> {
    return this.#end('SIGTERM');
  }

  /** It is there and does nothing, until it is woken. */
  stop(): void {
    this.#process?.kill('SIGSTOP');
    this.state = 'stopped';
  }

  /** It goes on as if no time had passed. */
  wake(): void {
    if (this.state !== 'stopped') return;
    this.#process?.kill('SIGCONT');
    this.state = 'up';
  }

  async #end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
    const child = this.#process;
    this.#wanted = false;
    this.state = 'down';
    if (!child || child.exitCode !== null || child.signalCode !== null) return null;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
    return child.signalCode ?? child.exitCode;
  }

  async #ready(child: ChildProcess): Promise<void> {
    for (const until = Date.now() + START; Date.now() < until;) {
      if (child.exitCode !== null || child.signalCode !== null) break;
      try {
        const answer = await fetch(`${this.url}/ready`, { signal: AbortSignal.timeout(5000) });
        await answer.arrayBuffer();
        if (answer.ok && this.#process === child) {
          if (this.state === 'starting') this.state = 'up';
          return;
        }
      } catch {
        // the server does not listen yet
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK));
    }
    if (this.#process === child && this.#wanted) throw new Error(`${this.member} did not start: ${this.log}`);
  }
}

function inherited(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !SETTINGS.test(name)));
}
