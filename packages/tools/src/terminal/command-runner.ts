import type { Masker } from '@conv/core';
import type { Platform } from '@conv/core/platform';

import type { CommandReport } from './marker-scanner.ts';
import { MaskedScreen } from './masked-screen.ts';
import { OutputCollector, type CollectedOutput } from './output-collector.ts';
import {
  CLOCK_SKEW,
  listProcesses,
  signalAll,
  startClock,
  startedSince,
  stillAlive,
  type ProcessEntry,
} from './processes.ts';
import { Shell, type ShellListener, type ShellOptions } from './shell.ts';

/** Characters of background output that are kept between two commands. */
const IDLE_LIMIT = 2000;
/** Milliseconds within which a command must end after the interrupt. */
const INTERRUPT_GRACE = 30;
/** Milliseconds within which the shell must then respond; on a busy machine it may need time to run. */
const SHELL_GRACE = 1000;
const START_ACKNOWLEDGED = 10_000;

/** Limits of the wait for a command, in milliseconds. */
export interface WaitLimits {
  /** The limit from now on, regardless of output. */
  readonly total: number;
  /** The limit since the last output. */
  readonly quiet: number;
  /** The limit since the last output, once there was some during this wait. */
  readonly quietAfterOutput?: number;
}

/** The reason why a wait is over. */
export type WaitOutcome = 'ended' | 'exited' | 'quiet' | 'timeout' | 'aborted';

export interface CommandRunnerOptions extends Omit<ShellOptions, 'mask'> {
  readonly outputLimit: number;
  readonly sideDirectory?: string | undefined;
  /** Returns the masker, called for each piece of output; `undefined` if there are no secrets. */
  readonly masker: () => Masker | undefined;
  /** Called with masked output of the command that runs. Does not throw. */
  readonly onOutput?: ((text: string) => void) | undefined;
}

/** Facts that distinguish a command's processes from those of earlier commands. */
interface CommandStart {
  readonly clock: number;
  /** Processes from before the command, if their start is too near to tell them apart by the clock. */
  readonly older: readonly ProcessEntry[];
}

type ShellState =
  | { readonly name: 'idle' }
  | { readonly name: 'running'; readonly since: CommandStart }
  | { readonly name: 'ended' }
  | { readonly name: 'exited'; readonly exitCode: number };

/** A shell, the command that runs in it, and its output since it was last collected. */
export class CommandRunner {
  readonly #options: CommandRunnerOptions;
  readonly #platform: Platform;
  readonly #screen: MaskedScreen;
  #shell!: Shell;
  #collector: OutputCollector | undefined;
  #state: ShellState = { name: 'idle' };
  #idleOutput = '';
  /** The number of the last command; `#begun` is true once the shell has taken it. */
  #sequence = 0;
  #begun = false;
  #refused: readonly string[] = [];
  #lastOutput = 0;
  #waitingSince = 0;
  #changed: () => void = () => undefined;
  #report: CommandReport | undefined;
  /** The time at which the last command ended. */
  #endedAt = -Infinity;

  private constructor(options: CommandRunnerOptions) {
    this.#options = options;
    this.#platform = options.platform;
    this.#screen = new MaskedScreen(options.masker, (text) => this.#take(text));
  }

  /** Resolves when the shell is ready. */
  static async start(options: CommandRunnerOptions): Promise<CommandRunner> {
    const runner = new CommandRunner(options);
    const mask = (text: string): string => options.masker()?.mask(text) ?? text;
    runner.#shell = await Shell.start({ ...options, mask }, runner.#listener());
    return runner;
  }

  get running(): boolean {
    return this.#state.name === 'running';
  }

  /** The status that the shell ended with, if it has. */
  get exited(): number | undefined {
    return this.#state.name === 'exited' ? this.#state.exitCode : undefined;
  }

  /** Returns, once, why the sandbox ended the shell, in words; `undefined` if it did not. */
  takeEnd(): string | undefined {
    return this.#options.confinement?.endOf?.(this.#shell.leader);
  }

  /** The shell's report on its last command. */
  get report(): CommandReport | undefined {
    return this.#report;
  }

  /** The variables that the last command was to get and that are readonly in the shell. */
  get refused(): readonly string[] {
    return this.#refused;
  }

  /** Starts a command with variables that only it gets. Resolves false if the shell did not take the command. */
  async run(command: string, environment: Readonly<Record<string, string>>, signal: AbortSignal): Promise<boolean> {
    this.#begun = false;
    this.#refused = [];
    const since = this.#commandStart();
    // without its files the shell cannot be given a command
    const sequence = await this.#shell.run(command, environment).catch(() => undefined);
    if (sequence === undefined || this.#state.name === 'exited') return false;
    this.#sequence = sequence;
    this.#collector = this.#newCollector();
    this.#state = { name: 'running', since };
    this.#lastOutput = this.#platform.monotonic();
    await this.#until(() => this.#begun || !this.running, START_ACKNOWLEDGED, signal);
    return this.#begun || signal.aborted;
  }

  type(keys: string): void {
    this.#lastOutput = this.#platform.monotonic();
    this.#shell.write(keys);
  }

  /** Resolves when the command has ended, a limit is reached or the signal is aborted. */
  async wait(limits: WaitLimits, signal: AbortSignal): Promise<WaitOutcome> {
    const from = this.#platform.monotonic();
    this.#waitingSince = from;
    let outcome: WaitOutcome | undefined;
    const settle = (): boolean => {
      outcome = this.#outcome(from, limits, signal);
      return outcome !== undefined;
    };
    while (!settle()) await this.#until(settle, this.#nextLimit(from, limits) - this.#platform.monotonic(), signal);
    return outcome ?? 'ended';
  }

  /**
   * Resolves the output since the last call; a running command continues, and its further output is for the next call.
   */
  async collect(): Promise<CollectedOutput> {
    this.#screen.flush();
    const collector = this.#collector;
    this.#collector = this.running ? this.#newCollector() : undefined;
    if (this.#state.name === 'ended') this.#state = { name: 'idle' };
    this.#shell.resume();
    return (await collector?.finish()) ?? { text: '' };
  }

  /** Returns the output of background programs while no command ran, and forgets it. */
  takeIdleOutput(): string {
    const output = this.#idleOutput;
    this.#idleOutput = '';
    return output;
  }

  /**
   * Ends the running command: an interrupt, and 30 ms later a kill of all processes that it started. A shell that does
   * not come back within a second, because it ignores interrupts, is killed. Resolves true if the shell lives on.
   */
  async interrupt(): Promise<boolean> {
    if (this.#state.name === 'running') await this.#stop(this.#state.since);
    this.#screen.end();
    this.#idleOutput = '';
    const abandoned = this.#collector;
    this.#collector = undefined;
    if (this.#state.name === 'ended') this.#state = { name: 'idle' };
    await abandoned?.discard();
    return this.#state.name === 'idle';
  }

  /**
   * Kills the shell and all its processes; with `grace`, in milliseconds, after a hangup that programs may react to.
   */
  async close(grace = 0): Promise<void> {
    if (grace > 0) await this.#shell.hangUp(grace);
    if (this.#state.name !== 'exited') this.#state = { name: 'exited', exitCode: -1 };
    this.#shell.kill();
    await this.#shell.release();
    await this.#collector?.discard();
    this.#collector = undefined;
  }

  #listener(): ShellListener {
    return {
      text: (text) => {
        const first = this.#lastOutput <= this.#waitingSince;
        this.#lastOutput = this.#platform.monotonic();
        this.#screen.write(text);
        if (first) this.#changed();
      },
      started: (sequence, refused) => {
        this.#screen.end();
        if (sequence === this.#sequence) {
          this.#begun = true;
          this.#refused = refused;
        }
        this.#changed();
      },
      ended: (report) => this.#ended(report),
      exited: ({ exitCode, signal }) => {
        this.#screen.end();
        const status = signal ? 128 + signal : exitCode;
        if (this.#state.name !== 'exited') this.#state = { name: 'exited', exitCode: status };
        this.#changed();
      },
    };
  }

  #ended(report: CommandReport): void {
    // a shell that is interrupted while it waits reports its last command again
    if (this.#state.name !== 'running' || !this.#begun || this.#sequence !== report.sequence) return;
    this.#screen.end();
    this.#report = report;
    this.#endedAt = startClock(this.#platform);
    this.#state = { name: 'ended' };
    this.#changed();
  }

  #commandStart(): CommandStart {
    const clock = startClock(this.#platform);
    if (clock - this.#endedAt > CLOCK_SKEW) return { clock, older: [] };
    return { clock, older: this.#shell.members(listProcesses()) };
  }

  #take(text: string): void {
    if (this.running && this.#begun && this.#collector) {
      if (!this.#collector.write(text)) this.#shell.pause();
      this.#options.onOutput?.(text);
    } else this.#idleOutput = (this.#idleOutput + text).slice(-IDLE_LIMIT);
  }

  #newCollector(): OutputCollector {
    const { outputLimit, sideDirectory } = this.#options;
    const onDrain = (): void => this.#shell.resume();
    return new OutputCollector({ platform: this.#platform, limit: outputLimit, sideDirectory, onDrain });
  }

  #outcome(from: number, limits: WaitLimits, signal: AbortSignal): WaitOutcome | undefined {
    if (this.#state.name === 'ended' || this.#state.name === 'exited') return this.#state.name;
    if (signal.aborted) return 'aborted';
    const now = this.#platform.monotonic();
    if (now >= from + limits.total) return 'timeout';
    return now >= this.#nextLimit(from, limits) ? 'quiet' : undefined;
  }

  #nextLimit(from: number, limits: WaitLimits): number {
    const quiet = this.#lastOutput > from ? (limits.quietAfterOutput ?? limits.quiet) : limits.quiet;
    return Math.min(Math.max(this.#lastOutput, from) + quiet, from + limits.total);
  }

  /** Resolves when the condition holds, at each change of state, or the time is up or the signal is aborted. */
  async #until(condition: () => boolean, milliseconds: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#platform.setTimer(milliseconds, resolve);
    const aborted = (): void => resolve();
    signal?.addEventListener('abort', aborted, { once: true });
    this.#changed = () => {
      if (condition()) resolve();
    };
    if (condition() || signal?.aborted) resolve();
    await promise;
    timer.cancel();
    signal?.removeEventListener('abort', aborted);
    this.#changed = () => undefined;
  }

  async #stop(since: CommandStart): Promise<void> {
    this.#shell.resume();
    try {
      await this.#interruptAll(since);
    } catch {
      // The processes cannot be listed now. They end with their shell, whose watchdog finds them.
    }
    if (!this.running) return;
    this.#state = { name: 'exited', exitCode: -1 };
    this.#shell.kill();
  }

  async #interruptAll(since: CommandStart): Promise<void> {
    const all = listProcesses();
    // listed before the interrupt: a child in a session of its own has no parent to find it by once its parent is dead
    const before = startedSince(since, this.#shell.pid, this.#shell.members(all));
    this.#interruptForeground(all);
    await this.#until(() => !this.running, INTERRUPT_GRACE);
    this.#killStartedSince(since, before);
    await this.#until(() => !this.running, SHELL_GRACE);
  }

  #interruptForeground(all: readonly ProcessEntry[]): void {
    const foreground = all.find(({ pid }) => pid === this.#shell.pid)?.foreground;
    // To the group directly, as a program may have switched off the terminal's interrupt key; to the shell as well,
    // which would start the next program of a loop if this program was about to end anyway.
    if (foreground !== undefined && foreground > 1) signalAll([-foreground, this.#shell.pid], 'SIGINT');
    else this.#shell.write('\x03');
  }

  #killStartedSince(since: CommandStart, before: readonly ProcessEntry[]): void {
    // more than once, because a process that is being killed may start others
    for (let pass = 0; pass < 3; pass++) {
      const all = listProcesses();
      const young = startedSince(since, this.#shell.pid, this.#shell.members(all));
      const victims = new Set([...stillAlive(before, all), ...young].map(({ pid }) => pid));
      if (victims.size === 0) break;
      signalAll(victims, 'SIGKILL');
    }
  }
}
