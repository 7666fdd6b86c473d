import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** Runs a process that writes a conversation, and collects its lines. */
export class Writer {
  readonly lines: string[] = [];
  readonly process: ChildProcess;
  #wake = (): void => {};

  constructor(file: string, id: string, limit: number, width = 1) {
    const program = join(import.meta.dirname, 'writer-process.ts');
    this.process = spawn(process.execPath, [program, file, id, String(limit), String(width)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void this.process.kill('SIGKILL'));
    if (!this.process.stdout) throw new Error('a pipe was asked for');
    createInterface({ input: this.process.stdout }).on('line', (line) => {
      this.lines.push(line);
      this.#wake();
    });
  }

  /** Resolves when the lines satisfy a condition. */
  async until(are: (lines: readonly string[]) => boolean): Promise<void> {
    while (!are(this.lines)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async ended(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, 'close');
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.ended();
  }

  /** Returns the number and id of each acknowledged commit. */
  get acknowledged(): readonly string[] {
    return this.lines.filter((line) => /^\d+ [0-9a-f-]{36}$/.test(line));
  }
}
