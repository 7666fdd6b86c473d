import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** The line of a door. */
export interface Line {
  readonly door: string;
  readonly cuts: number;
  readonly missing: number;
  readonly duplicated: number;
  readonly misordered: number;
}

/** Runs the built program as `npm run doors` does. Resolves with its exit code and lines. */
export function play(
  ...args: readonly string[]
): Promise<{ readonly exitCode: number | null; readonly lines: readonly Line[] }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [PROGRAM, ...args], (_error, output) => {
      const lines = output.split('\n').filter((line) => line !== '');
      resolve({ exitCode: child.exitCode, lines: lines.map((line) => JSON.parse(line) as Line) });
    });
  });
}
