import { join } from 'node:path';
import { WriterProcess } from '@conv/testing-harness';
import { inject, onTestFinished } from 'vitest';

/** Runs a process that writes a conversation, until the test ends. */
export class Writer extends WriterProcess {
  constructor(schema: string, id: string, limit: number, width = 1) {
    super(join(import.meta.dirname, 'writer-process.ts'), [inject('postgresUrl'), schema, id, limit, width]);
    onTestFinished(() => void this.process.kill('SIGKILL'));
  }
}
