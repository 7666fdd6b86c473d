import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { Answered, Asked, LoadCommands } from './commands.ts';

type Given<Name extends keyof LoadCommands> = Parameters<LoadCommands[Name]>;
type Result<Name extends keyof LoadCommands> = Awaited<ReturnType<LoadCommands[Name]>>;

/** A program of this package that serves. */
type LoadProgram =
  | 'agent-server-worker'
  | 'bare-command-worker'
  | 'bare-sockets-worker'
  | 'fleet-server-worker'
  | 'protocols-worker';

/** The folder of this package's programs. */
const HERE: string = join(import.meta.dirname, '..');

/** A server in a process of its own, so that its memory and its time are its own. */
export class LoadProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #open = new Map<number, PromiseWithResolvers<unknown>>();
  #nth = 0;
  #port = 0;

  private constructor(program: string, folder: string, args: readonly string[]) {
    this.#child = fork(join(folder, `${program}.js`), args, { execArgv: ['--expose-gc'] });
    this.#child.on('message', (answer: Answered) => this.#take(answer));
    this.#child.on('exit', (code) => {
      for (const { reject } of this.#open.values()) reject(new Error(`${program} ended with ${code}`));
    });
  }

  /** Starts a program; resolves when it listens. */
  static start(program: LoadProgram, ...args: string[]): Promise<LoadProcess> {
    return LoadProcess.#start(new LoadProcess(program, HERE, args));
  }

  /** As {@link LoadProcess.start}, with the program of another build of this project, whose folder is `build`. */
  static startOf(build: string, program: LoadProgram, ...args: string[]): Promise<LoadProcess> {
    return LoadProcess.#start(new LoadProcess(program, join(build, 'apps/bench/dist'), args));
  }

  static async #start(started: LoadProcess): Promise<LoadProcess> {
    const first = Promise.withResolvers<unknown>();
    started.#open.set(0, first);
    started.#port = (await first.promise) as number;
    return started;
  }

  get port(): number {
    return this.#port;
  }

  /** Has it do something. */
  ask<Name extends keyof LoadCommands>(name: Name, ...given: Given<Name>): Promise<Result<Name>> {
    const nth = ++this.#nth;
    const answer = Promise.withResolvers<unknown>();
    this.#open.set(nth, answer);
    this.#child.send({ nth, name, given: given[0] } satisfies Asked);
    return answer.promise as Promise<Result<Name>>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }

  #take({ nth, value, error }: Answered): void {
    const answer = this.#open.get(nth);
    this.#open.delete(nth);
    if (error === undefined) answer?.resolve(value);
    else answer?.reject(new Error(error));
  }
}
