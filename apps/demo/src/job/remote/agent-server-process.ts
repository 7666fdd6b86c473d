import { serverProgram } from '@conv/agent-server';
import { CommandError, exitCodes } from '@conv/cli';

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import process from 'node:process';

import type { Environment } from '@conv/agent';

/** Folder and environment of a server. */
export interface AgentServerSetting {
  readonly folder: string;
  /** The file to which its output is appended. */
  readonly log: string;
  readonly environment: Environment;
}

/** Variables that would tell a server of this machine's own settings. */
const SETTINGS = /^(OH_|CONV_|OTEL_|LLM_|LOG_|SESSION_API_KEY|npm_)/;

/** The agent server of this repository, as a process of its own on a free port. */
export class AgentServerProcess {
  readonly #child: ChildProcess;
  readonly #listening = Promise.withResolvers<string>();
  readonly #log: string;
  #said = '';
  #url = '';

  private constructor({ folder, log, environment }: AgentServerSetting) {
    const inherited = Object.entries(process.env).filter(([name]) => !SETTINGS.test(name));
    this.#log = log;
    this.#child = spawn(process.execPath, [serverProgram, '--host', '127.0.0.1', '--port', '0'], {
      cwd: folder,
      env: { ...Object.fromEntries(inherited), LOG_JSON: 'true', ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#hear(text));
    this.#child.once('error', (error) => this.#listening.reject(error));
    this.#child.once('exit', () => {
      const last = this.#said.trimEnd().split('\n').at(-1) ?? '';
      this.#listening.reject(new CommandError(exitCodes.failed, `the agent server did not start: ${last}`));
    });
  }

  /** Resolves when it takes requests. Rejects when it ends before. */
  static async start(setting: AgentServerSetting): Promise<AgentServerProcess> {
    const server = new AgentServerProcess(setting);
    server.#url = await server.#listening.promise;
    return server;
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  get url(): string {
    return this.#url;
  }

  /** Kills the process at once. Resolves when it has ended. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Asks the process to shut down. Resolves with its exit code when it has ended. */
  async stop(): Promise<number | null> {
    return await this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const gone = once(this.#child, 'exit');
      this.#child.kill(signal);
      await gone;
    }
    return this.#child.exitCode;
  }

  #hear(text: string): void {
    appendFileSync(this.#log, text);
    this.#said += text;
    const [, url] = /"url":"([^"]+)".*"msg":"listening"/.exec(this.#said) ?? [];
    if (url !== undefined) this.#listening.resolve(url);
  }
}
