import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type { Counter } from '../src/findings.ts';

const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** What a run of the harness said. */
export interface Played {
  readonly exitCode: number | null;
  readonly result: Readonly<Record<Counter | 'rounds' | 'events', number>>;
  /** What it wrote for people. */
  readonly errors: string;
}

/** Runs the built program as `npm run chaos` does. */
export function play(...args: readonly string[]): Promise<Played> {
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [PROGRAM, ...args], (_error, output, errors) => {
      try {
        resolve({ exitCode: child.exitCode, result: JSON.parse(output) as Played['result'], errors });
      } catch (cause) {
        reject(new Error(`no result line, but ${JSON.stringify(output)} and ${errors}`, { cause }));
      }
    });
  });
}
