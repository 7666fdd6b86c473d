import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import type { Environment } from '@conv/agent';
import { CommandError, exitCodes } from '@conv/cli';

import type { Acknowledged, JobWorker } from './job-worker.ts';
import type { WorkerCalls, WorkerMessage } from './worker-message.ts';

/** A process that runs the agent, held by its parent, which hears of every event that was acknowledged in it. */
export class WorkerProcess implements JobWorker {
  readonly acknowledged: Acknowledged[] = [];
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #calls = 0;

  constructor(environment: Environment) {
    this.#child = fork(fileURLToPath(new URL('worker.js', import.meta.url)), {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child.on('message', (message: WorkerMessage) => this.#hear(message));
    this.#child.on('exit', () => this.#gone());
    this.#child.on('error', () => this.#gone());
  }

  get name(): string {
    return `A new process (pid ${this.pid})`;
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  /** Asks for something; rejects when it fails there, or when the process ends before it answers. */
  async call<Name extends keyof WorkerCalls>(
    name: Name,
    ...[argument]: Parameters<WorkerCalls[Name]>
  ): Promise<ReturnType<WorkerCalls[Name]>> {
    const call = ++this.#calls;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(call, waiting);
    this.#child.send({ call, name, argument });
    return (await waiting.promise) as ReturnType<WorkerCalls[Name]>;
  }

  /** Kills the process at once. Resolves when it has ended. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    // reports from before its death may still be in the channel
    const heardAll = this.#child.connected ? once(this.#child, 'disconnect') : undefined;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await Promise.all([gone, heardAll]);
  }

  /** Closes the conversation and lets the process end. */
  async end(): Promise<void> {
    await this.call('close');
    const gone = once(this.#child, 'exit');
    this.#child.disconnect();
    await gone;
  }

  #hear(message: WorkerMessage): void {
    if (message.kind === 'acknowledged') {
      this.acknowledged.push({ index: message.index, event: message.event });
      return;
    }
    const waiting = this.#waiting.get(message.call);
    this.#waiting.delete(message.call);
    if (message.kind === 'answer') waiting?.resolve(message.value);
    else waiting?.reject(new CommandError(exitCodes.failed, message.message));
  }

  #gone(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error('the process has ended'));
    this.#waiting.clear();
  }
}
