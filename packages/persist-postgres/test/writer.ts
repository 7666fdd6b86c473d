import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inject, onTestFinished } from 'vitest';

const UUID = /^[0-9a-f-]{36}$/;

/** Runs a process that writes a conversation, and collects its lines. */
export class Writer {
  readonly lines: string[] = [];
  readonly process: ChildProcess;
  #wake = (): void => {};

  constructor(schema: string, id: string, limit: number, width = 1) {
    const program = join(import.meta.dirname, 'writer-process.ts');
    const parameters = [inject('postgresUrl'), schema, id, String(limit), String(width)];
    this.process = spawn(process.execPath, [program, ...parameters], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void this.process.kill('SIGKILL'));
    createInterface({ input: this.process.stdout as NonNullable<ChildProcess['stdout']> }).on('line', (line) => {
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

  async ended(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, 'close');
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.ended();
  }

  get acknowledged(): string[] {
    return this.lines.filter((line) => UUID.test(line));
  }
}
