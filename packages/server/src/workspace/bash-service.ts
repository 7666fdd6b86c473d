import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { errorText } from '@conv/core';
import { timers, type Platform } from '@conv/core/platform';
import { isToolError, type ProgramStart } from '@conv/core/tool';
import type { BashCommand, BashOutput } from '@conv/openhands/rest';

import { stamp, BashLog, type BashQuery, type KeptBashEvent } from './bash-log.ts';
import type { ConfinedFolders, Entered } from './confined-folders.ts';
import { OutputPieces, type OutputPiece } from './output-pieces.ts';

const MEBI = 1024 * 1024;
/** Exit code of a command that exceeded its time limit. */
const TIMED_OUT = -1;
const LIVE_INTERVAL = 500;
/** Milliseconds that a stopped command has to clean up before it is killed. */
const STOP_GRACE = 1000;

/** Options of commands. */
export interface BashOptions {
  readonly platform: Platform;
  /** The environment of commands. It should hold no key of the server's own. */
  readonly environment: Readonly<Record<string, string>>;
  /** The folder of a command that names none. */
  readonly workingDirectory: string;
  /** Checks the folder that a command names and returns the folder to use; throws when the command must not run there. */
  readonly checkFolder?: (folder: string) => string | Promise<string>;
  /** Confines commands. Default: they reach all that the user of this process reaches. */
  readonly confined?: Pick<ConfinedFolders, 'enter'> | undefined;
  /** Approximate maximum bytes of stored events. Default 64 MiB. */
  readonly capacity?: number;
  /** Milliseconds after which events are forgotten. Default: never. */
  readonly retention?: number;
  /** Maximum stored characters of each stream of one command. Default 16 MiB. */
  readonly maxOutput?: number;
  /** Commands that may run at the same time. Default 64. */
  readonly maxCommands?: number;
}

/** A command to run. */
export interface BashRequest {
  readonly command: string;
  readonly cwd?: string | null | undefined;
  /** Seconds. Default 300. */
  readonly timeout?: number | undefined;
}

/**
 * Error for a command that cannot be started: it holds a null character, is longer than the system allows, or its folder cannot be
 * confined.
 */
export class UnusableCommandError extends Error {
  override readonly name = 'UnusableCommandError';
}

/** Error for a command beyond the maximum number of running commands. */
export class TooManyCommandsError extends Error {
  override readonly name = 'TooManyCommandsError';
}

interface Running {
  readonly child: ChildProcess;
  readonly done: Promise<BashOutput>;
}

/** Runs commands of clients outside conversations. Every listener sees every command and its output. */
export class BashService {
  readonly #options: BashOptions;
  readonly #log: BashLog;
  readonly #running = new Map<string, Running>();
  readonly #listeners = new Set<(event: KeptBashEvent) => void>();
  #closed = false;

  constructor(options: BashOptions) {
    this.#options = options;
    const { platform, capacity = 64 * MEBI, retention } = options;
    this.#log = new BashLog(platform, { capacity, retention });
  }

  /**
   * Starts a command. Resolves as soon as it runs. Rejects {@link TooManyCommandsError}, {@link UnusableCommandError} or the
   * error that `checkFolder` throws.
   */
  async start(request: BashRequest): Promise<BashCommand> {
    return (await this.#start(request)).command;
  }

  /**
   * Runs a command to its end. Resolves with its last output event, which holds the whole output. Aborting `signal` kills the
   * command and rejects with the reason.
   */
  async execute(request: BashRequest, signal: AbortSignal): Promise<BashOutput> {
    const { command, done } = await this.#start(request);
    const kill = (): void => this.#kill(command.id);
    signal.addEventListener('abort', kill, { once: true });
    if (signal.aborted) kill();
    try {
      const last = await done;
      signal.throwIfAborted();
      const all = this.#log.find({ kind: 'BashOutput', commandId: command.id }) as readonly BashOutput[];
      return { ...last, stdout: joined(all, 'stdout'), stderr: joined(all, 'stderr') };
    } finally {
      signal.removeEventListener('abort', kill);
    }
  }

  /**
   * Ends a command and its children: it may clean up for a second before it is killed, but in a sandbox, whose first program ends at once and all others
   * with it. Resolves with true when it has ended, also if it had ended before; with false for an unknown command.
   */
  async stop(id: string): Promise<boolean> {
    const running = this.#running.get(id);
    if (!running) return this.#log.get(id)?.kind === 'BashCommand';
    this.#kill(id, 'SIGTERM');
    const timer = this.#options.platform.setTimer(STOP_GRACE, () => this.#kill(id));
    await running.done;
    timer.cancel();
    return true;
  }

  /** True while no command runs. */
  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  find(query: BashQuery = {}): readonly KeptBashEvent[] {
    return this.#log.find(query);
  }

  get(id: string): KeptBashEvent | undefined {
    return this.#log.get(id);
  }

  /** Removes all events and returns their number. Running commands continue. */
  clear(): number {
    return this.#log.clear();
  }

  /** Calls `listener` synchronously with each event from now on, until the returned function is called. */
  subscribe(listener: (event: KeptBashEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Kills running commands and resolves when they have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const id of this.#running.keys()) this.#kill(id);
    await Promise.allSettled([...this.#running.values()].map(({ done }) => done));
  }

  async #start(request: BashRequest): Promise<{ command: BashCommand; done: Promise<BashOutput> }> {
    const { platform, environment, workingDirectory, checkFolder, maxCommands = 64 } = this.#options;
    const { command: text, cwd = null, timeout = 300 } = request;
    const folder = cwd === null ? workingDirectory : ((await checkFolder?.(cwd)) ?? cwd);
    const plain = { command: 'bash', args: ['-c', text], cwd: folder, env: environment };
    const { start, endOf, left } = await this.#enter(plain);
    if (this.#closed || this.#running.size >= maxCommands) {
      left();
      throw new TooManyCommandsError(
        this.#closed
          ? 'the server is closing; try again later'
          : `${maxCommands} commands run already; stop one, or wait for its end`,
      );
    }
    const command: BashCommand = { ...stamp(platform), command: text, cwd, timeout, kind: 'BashCommand' };
    const child = spawned(start, left);
    this.#publish(command);
    const done = this.#follow(command, child, endOf);
    this.#running.set(command.id, { child, done });
    void done.then(() => this.#running.delete(command.id)).then(left);
    return { command, done };
  }

  async #enter(plain: ProgramStart): Promise<Entered> {
    const { confined } = this.#options;
    try {
      return (await confined?.enter(plain)) ?? { start: plain, endOf: () => undefined, left: () => undefined };
    } catch (cause) {
      if (!isToolError(cause)) throw cause;
      throw new UnusableCommandError(`The command cannot be started: ${errorText(cause)}`, { cause });
    }
  }

  #follow(command: BashCommand, child: ChildProcess, endOf: Entered['endOf']): Promise<BashOutput> {
    const { platform, maxOutput = 16 * MEBI } = this.#options;
    const pieces = new OutputPieces({ piece: MEBI, total: maxOutput });
    let order = 0;
    const hand = (piece: OutputPiece, code: number | null): BashOutput => {
      const head = { ...stamp(platform), command_id: command.id, order: order++, exit_code: code };
      const output: BashOutput = { ...head, ...piece, kind: 'BashOutput' };
      this.#publish(output);
      return output;
    };
    const handAll = (): void => {
      for (let piece = pieces.take(); piece; piece = pieces.take()) hand(piece, null);
    };
    const live = timers.every(platform, LIVE_INTERVAL, handAll);
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream]?.on('data', (bytes: Buffer) => {
        if (pieces.write(stream, bytes)) handAll();
      });
    let timedOut = false;
    const timer = platform.setTimer(command.timeout * 1000, () => {
      timedOut = true;
      this.#kill(command.id);
    });
    return ended(child, platform).then((end) => {
      live.cancel();
      timer.cancel();
      const why = endOf(child.pid ?? 0);
      if (why !== undefined) pieces.write('stderr', Buffer.from(`${why}\n`));
      pieces.end();
      let last = pieces.take();
      for (let next = pieces.take(); next; next = pieces.take()) {
        if (last) hand(last, null);
        last = next;
      }
      const said = end.error === undefined ? last : { stdout: null, stderr: end.error };
      return hand(said ?? { stdout: null, stderr: null }, timedOut ? TIMED_OUT : end.code);
    });
  }

  #publish(event: KeptBashEvent): void {
    this.#log.add(event);
    for (const listener of this.#listeners) listener(event);
  }

  #kill(id: string, signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): void {
    const pid = this.#running.get(id)?.child.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // the command has already ended
    }
  }
}

function spawned({ command, args, cwd, env }: ProgramStart, left: () => void): ChildProcess {
  try {
    // a process group of its own, so that its children are killed with it
    return spawn(command, args, { cwd, env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  } catch (cause) {
    left();
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    const reason =
      code === 'E2BIG' ? 'it is too long' : code === 'ERR_INVALID_ARG_VALUE' ? 'it has a null character' : String(code);
    throw new UnusableCommandError(`The command cannot be started: ${reason}`, { cause });
  }
}

function ended(child: ChildProcess, platform: Platform): Promise<{ code: number; error?: string }> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: 127, error: `${error.message}\n` }));
    // background processes keep the output open, so reading ends half a second after the command itself
    child.once('exit', (code, signal) => {
      const end = { code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]) };
      const timer = platform.setTimer(LIVE_INTERVAL, () => {
        child.stdout?.destroy();
        child.stderr?.destroy();
        resolve(end);
      });
      child.once('close', () => {
        timer.cancel();
        resolve(end);
      });
    });
  });
}

function joined(outputs: readonly BashOutput[], stream: 'stdout' | 'stderr'): string | null {
  const parts = outputs.map((output) => output[stream]).filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join('');
}
