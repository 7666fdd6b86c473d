import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { WorkerTask } from './peer-worker.ts';
import type { WorkerNews } from './worker-news.ts';

// as built, also for tests, which run the sources
const PROGRAM = join(import.meta.dirname, '../../dist/peers/peer-worker.js');
const COMPILED = join(import.meta.dirname, '../../../../.cache/bench/compiled');
/** Actions whose time a new process would have to itself. They find nothing compiled, as in a container that was just made. */
const FRESH: ReadonlySet<WorkerTask['action']> = new Set(['read', 'list']);
const KEPT_OUTPUT = 4000;
/** Message of the error for a process that ran out of memory, or killed itself. */
export const KILLED = 'killed by SIGKILL';

/** Process for one task that ended before it was done. */
class WorkerFailedError extends Error {
  override readonly name = 'WorkerFailedError';
}

/** A process that works for one task, and is killed after a limit. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #limit: number;
  readonly #news: WorkerNews[] = [];
  readonly #ended: Promise<unknown>;
  readonly #timer: NodeJS.Timeout;
  readonly #kill = (): void => void this.#child.kill('SIGKILL');
  #complaint = '';
  #isOverdue = false;

  constructor(task: WorkerTask) {
    this.#limit = task.plan.limit;
    this.#child = fork(PROGRAM, [JSON.stringify(task)], {
      execArgv: ['--expose-gc', '--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...process.env, NODE_COMPILE_CACHE: FRESH.has(task.action) ? '' : COMPILED },
    });
    process.on('exit', this.#kill);
    this.#child.on('message', (news) => void this.#news.push(news as WorkerNews));
    this.#child.stderr?.on('data', (text) => void (this.#complaint = `${this.#complaint}${text}`.slice(-KEPT_OUTPUT)));
    this.#ended = once(this.#child, 'close');
    this.#timer = setTimeout(() => {
      this.#isOverdue = true;
      this.#kill();
    }, this.#limit);
  }

  /** Resolves when the process waits for `go`, or has ended. */
  async ready(): Promise<void> {
    while (!this.#news.some(({ isReady }) => isReady) && this.#child.exitCode === null)
      await Promise.race([once(this.#child, 'message'), this.#ended]);
  }

  go(): void {
    if (this.#child.connected) this.#child.send('go', () => {});
  }

  /** Resolves with all messages of a process that ended well. Rejects with {@link WorkerFailedError}; `news` has what came before. */
  async done(): Promise<readonly WorkerNews[]> {
    await this.#ended;
    process.off('exit', this.#kill);
    clearTimeout(this.#timer);
    if (this.#isOverdue) throw new WorkerFailedError(`took over ${this.#limit / 1000} s`);
    if (this.#child.signalCode === 'SIGKILL') throw new WorkerFailedError(KILLED);
    if (this.#child.exitCode !== 0) throw new WorkerFailedError(`failed: ${firstError(this.#complaint)}`);
    return this.#news;
  }

  get news(): readonly WorkerNews[] {
    return this.#news;
  }
}

/** Resolves with the words of a process's failure; `undefined` if it ended well. */
export async function failureOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof WorkerFailedError) return error.message;
    throw error;
  }
}

/** Returns the line of an output that names the error. */
function firstError(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  return (lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? 'no reason given').trim().slice(0, 160);
}
