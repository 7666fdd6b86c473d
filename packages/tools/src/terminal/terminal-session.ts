import { access } from 'node:fs/promises';

import { abortable, type ToolSecrets } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import { ToolError, type Confinement, type ToolContext, type ToolResult, type ToolSession } from '@conv/core/tool';

import { CommandRunner, type CommandRunnerOptions, type WaitLimits, type WaitOutcome } from './command-runner.ts';
import { noteOfRefused, secretsFor } from './command-secrets.ts';
import { toKeystrokes } from './keys.ts';
import { ASKING, type OutsideInput } from './outside-input.ts';
import { runOutside } from './run-outside.ts';
import { shellEnvironment } from './shell-environment.ts';
import type { TerminalInput } from '../requests/terminal-input.ts';
import { ADVICE, ALLOWING, toRefusal, toResult, type ShellFacts } from './terminal-result.ts';

/** Maximum characters of output. An event stores no more than the model reads, and a few lines are added to the output. */
const OUTPUT_LIMIT = 27_000;
const QUIET_AFTER_INPUT = 2000;
const HANGUP_GRACE = 200;

export interface TerminalSessionOptions {
  readonly shell?: string;
  readonly noOutputTimeout?: number;
  readonly maxTimeout?: number;
  readonly environment?: readonly string[];
  readonly confinement?: Confinement | undefined;
  /** True if a command may ask to run outside of the confinement. */
  readonly mayLeave?: boolean;
  readonly platform: Platform;
}

/** The shell of one conversation. It starts when it is first needed, and again after it has ended. */
export class TerminalSession {
  readonly #session: ToolSession;
  readonly #options: TerminalSessionOptions;
  #secrets: ToolSecrets | undefined;
  #starting: Promise<CommandRunner> | undefined;
  #runner: CommandRunner | undefined;
  #workingDirectory: string;
  #note = '';
  #cleanup: Promise<void> | undefined;
  #busy = false;
  /** Takes the output of the command while a call waits for it. */
  #onOutput: ToolContext['onOutput'];
  #closed = false;

  constructor(session: ToolSession, options: TerminalSessionOptions) {
    this.#session = session;
    this.#options = options;
    this.#secrets = session.secrets;
    this.#workingDirectory = session.workingDirectory;
  }

  async execute(input: OutsideInput, { secrets, signal, onOutput }: ToolContext): Promise<ToolResult> {
    this.#throwIfClosed();
    if (this.#busy) return this.#refuse(input, 'Another call of the terminal has not returned yet. Wait for it.');
    this.#busy = true;
    this.#onOutput = onOutput;
    this.#secrets = secrets ?? this.#secrets;
    try {
      return await this.#call(input, signal);
    } finally {
      this.#busy = false;
      this.#onOutput = undefined;
    }
  }

  async close(): Promise<void> {
    try {
      await this.#end();
    } finally {
      await this.#options.confinement?.close();
    }
  }

  async #end(): Promise<void> {
    this.#closed = true;
    const runner = await this.#starting?.catch(() => undefined);
    this.#starting = undefined;
    this.#runner = undefined;
    await runner?.close(HANGUP_GRACE);
    await this.#cleanup;
  }

  async #call(input: OutsideInput, signal: AbortSignal): Promise<ToolResult> {
    if (input.command.includes('\0'))
      return this.#refuse(input, 'The command holds a NUL character, which bash cannot take. Leave it out.');
    if (input.reset && input.is_input)
      return this.#refuse(input, 'reset and is_input cannot be used together. Leave one out.');
    if (input.reset) {
      await this.#reset();
      if (input.command.trim() === '') return this.#afterReset(input, signal);
    }
    const isRunning = this.#runner?.running ?? false;
    if (input.outside_sandbox !== undefined) return this.#outside(input, signal, isRunning);
    if (input.is_input || input.command.trim() === '') {
      if (isRunning) return this.#continue(input, signal);
      return this.#refuse(
        input,
        'No command is running, so there is nothing to wait for and nothing that takes input. Send a command.',
      );
    }
    if (isRunning) return this.#refuse(input, `The command was not run: the previous one is still running. ${ADVICE}`);
    return this.#run(input, signal);
  }

  async #run(input: TerminalInput, signal: AbortSignal): Promise<ToolResult> {
    const { environment, notes } = await secretsFor(input.command, this.#secrets, signal);
    let runner = await this.#ready(signal);
    let taken = await runner.run(input.command, environment, signal);
    if (!taken && runner.exited !== undefined) {
      // the shell was killed from outside before it took the command, which may therefore run in a new shell
      runner = await this.#ready(signal);
      taken = await runner.run(input.command, environment, signal);
    }
    if (!taken) {
      await this.#discard('The shell did not answer, so this is a new one.');
      return this.#refuse(input, 'The shell did not take the command and was ended. Call again for a new shell.');
    }
    const quiet = this.#seconds(this.#options.noOutputTimeout ?? 30);
    const said = [...notes, ...runner.refused.map(noteOfRefused)].map((note) => `[${note}]\n`).join('');
    return this.#finish(input, runner, signal, { quiet }, said);
  }

  /** Runs a command outside of the confinement. The conversation has asked a person before. */
  async #outside(input: OutsideInput, signal: AbortSignal, isRunning: boolean): Promise<ToolResult> {
    const { confinement, mayLeave } = this.#options;
    if (!confinement || !mayLeave)
      return this.#refuse(input, 'No command runs outside of the sandbox here. Leave outside_sandbox out.');
    if (input.is_input || input.reset || input.command.trim() === '')
      return this.#refuse(input, 'outside_sandbox needs a command, and neither is_input nor reset.');
    if (isRunning) return this.#refuse(input, `The command was not run: the previous one is still running. ${ADVICE}`);
    const { environment: secrets, notes } = await secretsFor(input.command, this.#secrets, signal);
    const facts = { ...this.#facts(input), prefix: notes.map((note) => `[${note}]\n`).join('') };
    const options = { ...this.#shellOptions(), confinement };
    const limits = this.#limits(input, { quiet: this.#seconds(this.#options.noOutputTimeout ?? 30) });
    return runOutside({ command: input.command, secrets, limits, facts }, options, signal);
  }

  async #continue(input: TerminalInput, signal: AbortSignal): Promise<ToolResult> {
    const runner = await this.#ready(signal);
    const quiet = this.#seconds(this.#options.noOutputTimeout ?? 30);
    const typed = input.is_input && input.command !== '';
    if (typed) runner.type(toKeystrokes(input.command));
    return this.#finish(input, runner, signal, {
      quiet,
      ...(typed ? { quietAfterOutput: Math.min(quiet, QUIET_AFTER_INPUT) } : {}),
    });
  }

  async #finish(
    input: TerminalInput,
    runner: CommandRunner,
    signal: AbortSignal,
    limit: Omit<WaitLimits, 'total'>,
    said = '',
  ): Promise<ToolResult> {
    const limits = this.#limits(input, limit);
    const outcome = await runner.wait(limits, signal);
    this.#throwIfClosed();
    if (outcome === 'aborted') {
      // an interrupt does not wait until the files of the dead shell are removed
      if (!(await runner.interrupt()))
        this.#cleanup = this.#discard('An interrupted command did not stop, so the shell was ended.');
      throw signal.reason;
    }
    this.#workingDirectory = runner.report?.workingDirectory ?? this.#workingDirectory;
    const background = runner.takeIdleOutput();
    const output = await runner.collect();
    const facts = { ...this.#facts(input), prefix: said + this.#takePrefix(background) };
    if (outcome === 'ended') {
      const exitCode = runner.report?.exitCode ?? -1;
      return toResult({ ...facts, suffix: this.#refusedIn(output.text, exitCode) }, output, { exitCode });
    }
    if (outcome === 'exited') return this.#shellEnded(facts, output, runner);
    const suffix = `\n[${describeWait(outcome, limits)} ${ADVICE}]`;
    return toResult({ ...facts, suffix }, output, { exitCode: -1, timeout: true });
  }

  /** Returns a note on what the sandbox refused a command that failed. */
  #refusedIn(output: string, exitCode: number): string {
    const refused = exitCode === 0 ? undefined : this.#options.confinement?.refusedIn?.(output, this.#workingDirectory);
    return refused === undefined ? '' : `\n[${refused} ${this.#options.mayLeave ? ASKING : ALLOWING}]`;
  }

  async #shellEnded(
    facts: ShellFacts,
    output: Awaited<ReturnType<CommandRunner['collect']>>,
    runner: CommandRunner,
  ): Promise<ToolResult> {
    const exitCode = runner.exited ?? -1;
    await this.#discard('');
    const where = this.#workingDirectory;
    const why = runner.takeEnd();
    const ended = `The shell has ended${why === undefined ? '' : `: ${why}`}.`;
    const suffix = `\n[${ended} The next command starts a new one in ${where}, without the variables of this one.]`;
    return toResult({ ...facts, suffix }, output, { exitCode });
  }

  async #afterReset(input: TerminalInput, signal: AbortSignal): Promise<ToolResult> {
    await this.#ready(signal);
    this.#note = '';
    const message = `The shell was ended and a new one started in ${this.#workingDirectory}.`;
    return toResult(this.#facts(input), { text: message }, { exitCode: 0 });
  }

  async #reset(): Promise<void> {
    await this.#discard('The shell is new, as requested.');
    this.#workingDirectory = this.#session.workingDirectory;
  }

  async #discard(note: string): Promise<void> {
    const runner = this.#runner;
    this.#runner = undefined;
    this.#starting = undefined;
    if (note) this.#note = `[${note} Variables and background programs of the old one are gone.]\n`;
    await runner?.close();
  }

  /** Resolves the shell, started if there is none; rejects with the signal's reason without waiting for the start. */
  async #ready(signal: AbortSignal): Promise<CommandRunner> {
    this.#throwIfClosed();
    if (this.#runner?.exited !== undefined) {
      const why = this.#runner.takeEnd();
      await this.#discard(
        `${why === undefined ? 'The shell had ended' : `The old shell is gone: ${why}`}; this is a new one.`,
      );
    }
    this.#starting ??= this.#start();
    return abortable(this.#starting, signal);
  }

  async #start(): Promise<CommandRunner> {
    try {
      const { confinement } = this.#options;
      // a confinement looks for the folder itself, because it is another machine's
      if (!confinement && !(await isThere(this.#workingDirectory)))
        this.#workingDirectory = this.#session.workingDirectory;
      const runner = await CommandRunner.start({ ...this.#shellOptions(), confinement });
      this.#runner = runner;
      this.#workingDirectory = runner.report?.workingDirectory ?? this.#workingDirectory;
      return runner;
    } catch (error) {
      this.#starting = undefined;
      throw error;
    }
  }

  #shellOptions(): Omit<CommandRunnerOptions, 'confinement'> {
    return {
      platform: this.#options.platform,
      workingDirectory: this.#workingDirectory,
      environment: shellEnvironment(this.#options.environment),
      shell: this.#options.shell,
      outputLimit: OUTPUT_LIMIT,
      sideDirectory: this.#session.sideDirectory,
      masker: () => this.#secrets?.masker,
      onOutput: (text) => this.#onOutput?.(text),
    };
  }

  #throwIfClosed(): void {
    if (this.#closed) throw new ToolError('FAILED', 'The terminal is closed.');
  }

  #takePrefix(background: string): string {
    const note = this.#note;
    this.#note = '';
    if (!background.trim()) return note;
    return `${note}[Printed by background programs since the last command:]\n${background.trimEnd()}\n[Printed by this command:]\n`;
  }

  /** Returns the limits of a wait. A timeout of the call lets its command be silent. */
  #limits({ timeout }: TerminalInput, silence: Omit<WaitLimits, 'total'>): WaitLimits {
    const most = this.#options.maxTimeout ?? 3600;
    const total = this.#seconds(Math.min(timeout ?? most, most));
    return timeout === undefined ? { ...silence, total } : { quiet: Number.POSITIVE_INFINITY, total };
  }

  #refuse(input: TerminalInput, message: string): ToolResult {
    return toRefusal(this.#facts(input), message);
  }

  #facts(input: TerminalInput): ShellFacts {
    return {
      command: input.command,
      workingDirectory: this.#workingDirectory,
      report: this.#runner?.report,
      sideDirectory: this.#session.sideDirectory,
    };
  }

  #seconds(seconds: number): number {
    return seconds * 1000;
  }
}

async function isThere(folder: string): Promise<boolean> {
  return access(folder).then(
    () => true,
    () => false,
  );
}

function describeWait(outcome: WaitOutcome, limits: WaitLimits): string {
  if (outcome === 'timeout') return `The command is still running after ${limits.total / 1000} s.`;
  return 'The command is still running and has printed nothing new for a while.';
}
