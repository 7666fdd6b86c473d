import { execFile } from 'node:child_process';

/** What a harness said. */
export interface Played<Result> {
  readonly exitCode: number | null;
  /** Its result line. */
  readonly result: Result;
  /** What it wrote for people. */
  readonly errors: string;
}

/** Runs a harness that was built, as its npm script does. Rejects when it says nothing that is a result. */
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
