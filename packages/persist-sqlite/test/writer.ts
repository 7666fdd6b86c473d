import { join } from 'node:path';
import { WriterProcess } from '@conv/testing-harness';
import { onTestFinished } from 'vitest';

/** Runs a process that writes a conversation, until the test ends. */
export class Writer extends WriterProcess {
  constructor(file: string, id: string, limit: number, width = 1) {
    super(join(import.meta.dirname, 'writer-process.ts'), [file, id, limit, width]);
    onTestFinished(() => void this.process.kill('SIGKILL'));
  }
}
