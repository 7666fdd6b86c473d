import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

import type { Effect } from '../peer.ts';
import { PEERS_HOME, PEERS_PYTHON } from '../python.ts';

const PROGRAM = resolve(import.meta.dirname, '../../../peers/openhands_store.py');
/** Variable with the path of the socket, for the processes of the measurement. */
const SOCKET = 'CONV_BENCH_PYTHON_SOCKET';

/** OpenHands' SDK, imported once, with a forked process for each {@link PythonProcess} of this process and its children. */
export class PythonForks implements AsyncDisposable {
  readonly #end: () => Promise<void>;

  private constructor(end: () => Promise<void>) {
    this.#end = end;
  }

  /** Resolves when the SDK is imported. Rejects with what Python wrote when that fails. */
  static async start(): Promise<PythonForks> {
    mkdirSync(PEERS_HOME, { recursive: true });
    const folder = mkdtempSync(join(tmpdir(), 'conv-bench-python-'));
    const path = join(folder, 'socket');
    const child = spawn(PEERS_PYTHON, [PROGRAM, path], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], LANG: 'C.UTF-8', HOME: PEERS_HOME },
    });
    let complaint = '';
    child.stderr.on('data', (text) => void (complaint = `${complaint}${text}`.slice(-4000)));
    const gone = once(child, 'exit');
    const isReady = await Promise.race([once(child.stdout, 'data').then(() => true), gone.then(() => false)]);
    if (!isReady) throw new Error(`Python did not start: ${complaint}`);
    process.env[SOCKET] = path;
    return new PythonForks(async () => {
      child.stdin.end();
      await gone;
      rmSync(folder, { recursive: true, force: true });
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#end();
  }
}

interface Answer {
  readonly ready?: number;
  readonly effect?: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** OpenHands' SDK in a process of its own, which answers one request after the other. It ends with this process. */
export class PythonProcess {
  readonly #socket: Socket;
  readonly #answers: AsyncIterator<string>;
  #residentAtStart = 0;
  #last: Promise<unknown> = Promise.resolve();
  #effect: Effect | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#answers = createInterface({ input: socket })[Symbol.asyncIterator]();
  }

  /** Resolves when the process is there. Rejects unless {@link PythonForks} has started. */
  static async start(): Promise<PythonProcess> {
    const socket = connect(process.env[SOCKET] ?? '');
    await once(socket, 'connect');
    const started = new PythonProcess(socket);
    started.#residentAtStart = (await started.#next()).ready ?? 0;
    return started;
  }

  /** Bytes of its memory when it began. */
  get residentAtStart(): number {
    return this.#residentAtStart;
  }

  /** Resolves with the result of a request. Rejects with the error that the SDK raised. */
  ask(request: object): Promise<unknown> {
    const answer = this.#last.then(() => this.#exchange(request));
    this.#last = answer.catch(() => {});
    return answer;
  }

  /** Answers the effects of a tool while `work` lasts. */
  async during(effect: Effect, work: () => Promise<void>): Promise<void> {
    this.#effect = effect;
    try {
      await work();
    } finally {
      this.#effect = undefined;
    }
  }

  end(): void {
    this.#socket.destroy();
  }

  async #exchange(request: object): Promise<unknown> {
    this.#write(request);
    for (;;) {
      const { effect, result, error } = await this.#next();
      if (error !== undefined) throw new Error(error);
      if (effect === undefined) return result;
      await this.#effect?.(effect);
      this.#write({});
    }
  }

  #write(request: object): void {
    this.#socket.write(`${JSON.stringify(request)}\n`);
  }

  async #next(): Promise<Answer> {
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error('Python ended before it answered');
    return JSON.parse(value) as Answer;
  }
}
