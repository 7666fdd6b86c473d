import { spawn, type ChildProcess as Handle } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import type { Strike, StrikeSignal } from '../life-plan.ts';
import type { Report } from '../report.ts';

/** Milliseconds without a report after which a process that has not ended counts as hanging. */
const TIMEOUT = 60_000;

/** End of a life. */
export type LifeEnd = 'killed' | 'exited' | 'crashed' | 'hung';

/** A process as its parent sees it. */
export class ChildProcess<Plan extends { readonly strike: Strike | null }> {
  readonly plan: Plan;
  /** Resolves when the process has ended and all its reports were read. */
  readonly ended: Promise<LifeEnd>;
  /** Resolves when it stopped, or has ended. */
  readonly halted: Promise<void>;
  /** The end of its standard error. */
  errors = '';
  readonly #handle: Handle;
  readonly #listeners = new Set<(line: Report) => void>();
  #halt: () => void = () => {};
  #rest = '';
  #lines = 0;
  #hung = false;

  /** `told` is called with each line in the order of the pipe. */
  constructor(program: 'child' | 'writer', plan: Plan, told: (line: Report) => void) {
    this.plan = plan;
    this.#handle = spawn(
      process.execPath,
      [fileURLToPath(new URL(`../${program}.js`, import.meta.url)), JSON.stringify(plan)],
      {
        stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      },
    );
    this.#listeners.add(told).add((line) => this.#watch(line));
    this.halted = new Promise((resolve) => (this.#halt = resolve));
    this.ended = this.#follow();
    if (plan.strike?.at === 'time') this.#strikeAfter(plan.strike.milliseconds, plan.strike.signal);
  }

  /** Resolves at the next report of this kind, or when it has ended. */
  async next(kind: Report['kind']): Promise<void> {
    let listener: ((line: Report) => void) | undefined;
    const reported = new Promise<void>((resolve) => {
      listener = (line) => line.kind === kind && resolve();
      this.#listeners.add(listener);
    });
    await Promise.race([reported, this.ended]);
    if (listener) this.#listeners.delete(listener);
  }

  kill(): void {
    this.#handle.kill('SIGKILL');
  }

  wake(): void {
    this.#handle.kill('SIGCONT');
  }

  /** Kills or stops the process from outside. */
  strike(signal: StrikeSignal | 'SIGTERM'): void {
    this.#handle.kill(signal);
    if (signal === 'SIGSTOP') this.#halt();
  }

  get gone(): boolean {
    return this.#handle.exitCode !== null || this.#handle.signalCode !== null;
  }

  #follow(): Promise<LifeEnd> {
    const hanging = setTimeout(() => {
      this.#hung = true;
      this.kill();
    }, TIMEOUT);
    const reports = this.#handle.stdio[3] as Readable;
    reports.setEncoding('utf8').on('data', (text: string) => {
      hanging.refresh();
      this.#take(text);
    });
    this.#handle.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.errors = (this.errors + text).slice(-4000);
    });
    return new Promise((resolve, reject) => {
      this.#handle.once('error', reject);
      this.#handle.once('close', (code, signal) => {
        clearTimeout(hanging);
        this.#halt();
        if (this.#hung) resolve('hung');
        else if (signal === 'SIGKILL') resolve('killed');
        else resolve(code === 0 ? 'exited' : 'crashed');
      });
    });
  }

  /**
   * Takes in text of the pipe. A line without an end was torn by the end of its writer: no caller got its
   * acknowledgement.
   */
  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const told = JSON.parse(line) as Report;
      for (const listener of this.#listeners) listener(told);
    }
  }

  #watch(line: Report): void {
    const { strike } = this.plan;
    if (line.kind === 'stopping') this.#halt();
    if (strike?.at === 'report' && ++this.#lines === strike.count) this.strike(strike.signal);
  }

  #strikeAfter(milliseconds: number, signal: StrikeSignal): void {
    const timer = setTimeout(() => this.strike(signal), milliseconds);
    void this.ended.then(() => clearTimeout(timer));
  }
}
