import { execFile } from 'node:child_process';

/** Output of a harness. */
export interface Played<Result> {
  readonly exitCode: number | null;
  /** Its result line. */
  readonly result: Result;
  /** Its output for people. */
  readonly errors: string;
}

/** Runs a built harness, as its npm script does. Rejects when it prints no result. */
export function playProgram<Result>(program: string, args: readonly string[]): Promise<Played<Result>> {
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [program, ...args], (_error, output, errors) => {
      try {
        resolve({ exitCode: child.exitCode, result: JSON.parse(output) as Result, errors });
      } catch (cause) {
        reject(new Error(`no result line, but ${JSON.stringify(output)} and ${errors}`, { cause }));
      }
    });
  });
}
