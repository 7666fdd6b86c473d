import { access, constants, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

import { timers, type Platform, secureRandom } from '@conv/core/platform';
import { isToolError, ToolError, type Confinement } from '@conv/core/tool';
import type { IPty, spawn as spawnPty } from '@lydell/node-pty';

import { HandOver, makePipe } from './hand-over.ts';
import { MarkerScanner, type CommandReport, type MarkerListener } from './marker-scanner.ts';
import { belongingTo, chainTo, listProcesses, signalAll, type ProcessEntry } from './processes.ts';
import { driverScript, promptMark, runLine, shellFiles, startupScript } from './shell-driver.ts';
import { ShellFolder } from './shell-folder.ts';
import { keepUnread } from './unread-output.ts';

// wide enough that tables and paths are not cut, narrow enough that a ruler across the screen costs little
const COLUMNS = 240;
const ROWS = 50;
const START_LIMIT = 15_000;
const HANGUP_POLL = 10;
const STARTUP_TEXT_KEPT = 65_536;
const STARTUP_TEXT_QUOTED = 500;

/** Options of starting a shell. */
export interface ShellOptions {
  readonly platform: Platform;
  /** The folder to start in. */
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Path of bash. Default: the first in PATH. */
  readonly shell?: string | undefined;
  /** Confines bash and all that it starts. */
  readonly confinement?: Pick<Confinement, 'confine' | 'endOf'> | undefined;
  /** Removes values of secrets from the text that an error quotes. */
  readonly mask: (text: string) => string;
}

/** Receives the output of the shell, the starts and ends of commands, and the end of the shell. */
export type ShellListener = Omit<MarkerListener, 'prompted'> & {
  exited(status: { readonly exitCode: number; readonly signal?: number | undefined }): void;
};

/** A bash in a pseudo-terminal, which reports when commands start and end. */
export class Shell {
  readonly #platform: Platform;
  readonly #pty: IPty;
  readonly #folder: ShellFolder;
  /** The leader of the session, bash, and what lies between them if bash is confined. */
  #own: readonly [leader: number, ...number[]];
  #sequence = 0;
  #handOver: HandOver | undefined;
  /** True if the shell's folder has the pipe for values, which stays there when the process is gone. */
  #hasPipe = false;
  /** True if processes of the session could not be listed when it was killed. */
  #isLeft = false;
  /** True if the process is gone, also before it was ready. */
  #exited = false;

  private constructor(platform: Platform, pty: IPty, folder: ShellFolder) {
    this.#own = [pty.pid];
    this.#platform = platform;
    this.#pty = pty;
    this.#folder = folder;
  }

  /** Resolves when the shell is ready for a command. Rejects `UNSUPPORTED` if there is no bash or pseudo-terminal. */
  static async start(options: ShellOptions, listener: ShellListener): Promise<Shell> {
    const { spawn } = await loadPty();
    const bash = options.shell ?? (await findBash(options.environment['PATH'] ?? ''));
    const nonce = Buffer.from(secureRandom(16)).toString('hex');
    const shell = await Shell.#spawn(options, bash, nonce, spawn);
    await shell.#listen(nonce, bash, listener, options);
    return shell;
  }

  static async #spawn(
    { platform, workingDirectory, environment, confinement }: ShellOptions,
    bash: string,
    nonce: string,
    spawn: typeof spawnPty,
  ): Promise<Shell> {
    let folder: ShellFolder | undefined;
    try {
      folder = new ShellFolder();
      const { path } = folder;
      await Promise.all([
        writeFile(join(path, shellFiles.nonce), `${nonce}\n`, { mode: 0o600 }),
        writeFile(join(path, shellFiles.sequence), '0\n'),
        writeFile(join(path, shellFiles.startup), startupScript(path)),
        writeFile(join(path, shellFiles.driver), driverScript(path)),
      ]);
      const args = ['--noprofile', '--noediting', '--rcfile', join(path, shellFiles.startup), '-i'];
      const plain = { command: bash, args, cwd: workingDirectory, env: environment };
      // no command can lead our writing elsewhere by a link, because a confined shell writes only the files of its state
      const start = confinement?.confine(plain, { read: [path], write: [join(path, shellFiles.state)] }) ?? plain;
      const { cwd, env } = start;
      const size = { cols: COLUMNS, rows: ROWS };
      const pty = spawn(start.command, [...start.args], { name: 'dumb', ...size, cwd, env: { ...env } });
      keepUnread(pty);
      folder.watch(pty.pid);
      return new Shell(platform, pty, folder);
    } catch (cause) {
      await folder?.remove();
      // the sandbox refuses a start in words that say what to do
      if (isToolError(cause)) throw cause;
      throw new ToolError('FAILED', `The shell ${bash} did not start.`, { cause });
    }
  }

  /**
   * Starts a command with variables of its own in its environment, which the shell forgets when the command ends. The
   * listener is called when it starts and ends. Resolves the command's number.
   */
  async run(command: string, environment: Readonly<Record<string, string>>): Promise<number> {
    const sequence = ++this.#sequence;
    await writeFile(join(this.#folder.path, shellFiles.command), command, { mode: 0o600 });
    await writeFile(join(this.#folder.path, shellFiles.sequence), `${sequence}\n`);
    const hasValues = Object.keys(environment).length > 0;
    if (hasValues) await this.#offer(environment);
    // the first line break ends a line that a program may have left half typed
    this.write(`\n${runLine(this.#folder.path, hasValues ? 'values' : 'no values')}\n`);
    return sequence;
  }

  /** The process that was started: bash, or the program that confines it. */
  get leader(): number {
    return this.#own[0];
  }

  /** The process of bash. */
  get pid(): number {
    return this.#own.at(-1) ?? this.#own[0];
  }

  /** Returns the processes that commands have started. */
  members(all: readonly ProcessEntry[]): readonly ProcessEntry[] {
    return belongingTo(this.#own, all);
  }

  /** Types into the terminal. */
  write(text: string): void {
    if (!this.#exited) this.#pty.write(text);
  }

  pause(): void {
    this.#pty.pause();
  }

  resume(): void {
    this.#pty.resume();
  }

  /** Tells all processes in the session that the terminal goes away. Resolves when all are gone or the time is up. */
  async hangUp(milliseconds: number): Promise<void> {
    const until = this.#platform.monotonic() + milliseconds;
    const members = (): readonly number[] => this.#listed() ?? [];
    signalAll(members(), 'SIGHUP');
    // a stopped program gets no signal until it continues
    signalAll(members(), 'SIGCONT');
    while (members().length > 0 && this.#platform.monotonic() < until) await timers.sleep(this.#platform, HANGUP_POLL);
  }

  /** Kills the shell and all processes in its session. Where processes cannot be listed now, the watchdog kills the rest. */
  kill(): void {
    this.#handOver?.close();
    for (let pass = 0; pass < 3; pass++) {
      const listed = this.#listed();
      this.#isLeft ||= listed === undefined;
      const rest = listed ?? [];
      if (rest.length === 0 && (pass > 0 || this.#exited)) break;
      signalAll(this.#exited ? rest : [...rest, ...this.#own], 'SIGKILL');
    }
  }

  /** Removes the shell's files, and ends their watchdog, unless processes are left to it. Call it after {@link Shell.kill}. */
  async release(): Promise<void> {
    if (this.#isLeft) this.#folder.leave();
    else await this.#folder.remove();
  }

  /** Returns the numbers of the processes that commands have started; `undefined` if this process can list none now. */
  #listed(): readonly number[] | undefined {
    try {
      return this.members(listProcesses()).map(({ pid }) => pid);
    } catch {
      return undefined;
    }
  }

  async #offer(environment: Readonly<Record<string, string>>): Promise<void> {
    const pipe = join(this.#folder.path, shellFiles.values);
    if (!this.#hasPipe) await makePipe(pipe);
    this.#hasPipe = true;
    this.#handOver?.close();
    if (!this.#exited) this.#handOver = new HandOver(pipe, environment);
  }

  /** Looks for bash behind the program that confines it. */
  async #findBash(): Promise<void> {
    const [leader] = this.#own;
    const pid = Number(await readFile(join(this.#folder.path, shellFiles.processId), 'utf8'));
    const chain = chainTo(pid, leader, listProcesses());
    if (!chain) throw new Error(`expected bash, which is ${pid} to itself, in the session of ${leader}, found none`);
    this.#own = [leader, ...chain.slice(1)];
  }

  async #listen(
    nonce: string,
    bash: string,
    listener: ShellListener,
    { mask, confinement }: ShellOptions,
  ): Promise<void> {
    const ready = Promise.withResolvers<void>();
    const giveUp = (): void => ready.reject(new Error(`no answer within ${START_LIMIT} ms`));
    const late = this.#platform.setTimer(START_LIMIT, giveUp);
    let startupText = '';
    let isReady = false;
    const ended = (report: CommandReport): void => {
      if (isReady) return listener.ended(report);
      isReady = true;
      ready.resolve();
    };
    const text = (part: string): void => {
      if (isReady) listener.text(part);
      else startupText = (startupText + part).slice(-STARTUP_TEXT_KEPT);
    };
    const prompted = (): void => this.write('\n');
    const started = (sequence: number, refused: readonly string[]): void => {
      this.#handOver?.close();
      listener.started(sequence, refused);
    };
    const scanner = new MarkerScanner(nonce, promptMark(this.#folder.path), { text, started, ended, prompted });
    this.#pty.onData((chunk) => scanner.write(chunk));
    this.#pty.onExit((status) => {
      this.#exited = true;
      this.#handOver?.close();
      const said = mask(startupText).slice(-STARTUP_TEXT_QUOTED);
      ready.reject(new Error(`it ended with exit code ${status.exitCode}: ${said}`));
      if (isReady) listener.exited(status);
    });
    try {
      await ready.promise;
      if (confinement) await this.#findBash();
    } catch (cause) {
      this.kill();
      await this.release();
      throw new ToolError('FAILED', `The shell ${bash} did not start.`, { cause });
    } finally {
      late.cancel();
    }
  }
}

async function loadPty(): Promise<{ spawn: typeof spawnPty }> {
  if (process.platform === 'win32')
    throw new ToolError('UNSUPPORTED', 'The terminal needs bash in a pseudo-terminal, which Windows does not have.');
  try {
    return await import('@lydell/node-pty');
  } catch (cause) {
    // A shortage says nothing about this machine's binary, and the next attempt may find it.
    if (cause instanceof Error && /\b(EMFILE|ENFILE|ENOMEM)\b|too many open files/i.test(cause.message))
      throw new ToolError('FAILED', `The pseudo-terminal cannot be loaded now: ${cause.message}.`, { cause });
    const here = `${process.platform}-${process.arch}`;
    throw new ToolError('UNSUPPORTED', `The terminal has no pseudo-terminal binary for ${here}.`, { cause });
  }
}

async function findBash(path: string): Promise<string> {
  for (const folder of [...path.split(delimiter).filter(Boolean), '/bin', '/usr/bin']) {
    const candidate = join(folder, 'bash');
    const executable = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (executable) return candidate;
  }
  throw new ToolError('UNSUPPORTED', 'The terminal needs bash, and there is none in PATH. Install it.');
}
