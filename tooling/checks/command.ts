import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { root } from '../bootstrap/process.mjs';

/** Exit status and output of a tool. */
export interface Outcome {
  readonly status: number;
  readonly stdout: string;
  /** Standard output and standard error in the order they came, without colours. */
  readonly output: string;
}

/** The status of a tool that exceeded its time limit. */
export const TIMED_OUT = 124;

/**
 * Runs one of the workspace's tools and collects what it says; a non-zero end is an answer, not an exception. After `timeout`
 * milliseconds it is killed.
 */
export function run(command: string, args: readonly string[], cwd: string, timeout?: number): Promise<Outcome> {
  const path = [join(root, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter);
  const environment = { ...process.env, PATH: path, NO_COLOR: '1', DO_NOT_TRACK: '1', TURBO_TELEMETRY_DISABLED: '1' };
  delete (environment as NodeJS.ProcessEnv)['FORCE_COLOR'];
  const child = spawn(command, args, {
    cwd,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout,
    killSignal: 'SIGKILL',
  });
  const all: Buffer[] = [];
  const standard: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => all.push(chunk) && standard.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => all.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      const late = timeout !== undefined && signal === 'SIGKILL' ? TIMED_OUT : 1;
      resolve({ status: code ?? late, stdout: text(standard), output: text(all) });
    });
  });
}

/** Applies `work` to every item, at most `limit` at a time. Resolves with the results in the order of the items. */
export async function inParallel<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) results[index] = await work(items[index] as T);
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return results;
}

function text(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString('utf8');
}
