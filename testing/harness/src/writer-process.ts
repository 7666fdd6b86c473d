import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const UUID = /[0-9a-f-]{36}$/;

/** Runs a program that writes a conversation, and collects its lines. The caller kills it at the end of its test. */
export class WriterProcess {
  readonly lines: string[] = [];
  readonly process: ChildProcess;
  #wake = (): void => {};

  constructor(program: string, parameters: readonly (string | number)[]) {
    const child = spawn(process.execPath, [program, ...parameters.map(String)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.process = child;
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.lines.push(line);
      this.#wake();
    });
  }

  /** Resolves when the lines satisfy a condition. */
  async until(is: (lines: readonly string[]) => boolean): Promise<void> {
    while (!is(this.lines)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Resolves when the process has ended and its lines have come. */
  async ended(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, 'close');
  }

  /** Kills the process. Resolves when it has ended. */
  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.ended();
  }

  /** Lets a stopped process go on to its end. Resolves with its last line. */
  async resume(): Promise<string | undefined> {
    this.process.kill('SIGCONT');
    await this.ended();
    return this.lines.at(-1);
  }

  /** The lines that end with the id of an acknowledged commit. */
  get acknowledged(): readonly string[] {
    return this.lines.filter((line) => UUID.test(line));
  }
}
