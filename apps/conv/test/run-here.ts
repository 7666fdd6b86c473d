import process from 'node:process';
import { Readable, Writable } from 'node:stream';

import { runProgram } from '@conv/cli';

import { scripted } from './scripted.ts';

/** Result of a command that ran in this process. */
export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** Folder, variables, words and limit of a command. */
export interface Start {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  /** Milliseconds until it is given up. */
  readonly timeout: number;
}

/** The end of the command before: a process has one working folder and one environment. */
let before: Promise<unknown> = Promise.resolve();

/**
 * Runs a command in this process, which has the folder, the variables, the arguments and the streams of the command until it ends.
 * Commands run one after the other, so a test that needs one beside another starts a process. Rejects if the command is at work when its
 * time is over. `run`: the program.
 */
export function runHere(start: Start, run: () => Promise<void> = () => runProgram(scripted)): Promise<Ended> {
  const ended = before.then(() => runAlone(start, run));
  before = ended.catch(() => undefined);
  return ended;
}

async function runAlone(start: Start, run: () => Promise<void>): Promise<Ended> {
  const { cwd, env, args } = start;
  const [stdout, stderr] = [new Collected(), new Collected()];
  const { argv, exitCode } = process;
  const folder = process.cwd();
  const warned = process.listeners('warning');
  const variables = { ...process.env };
  const streams = Object.getOwnPropertyDescriptors(process);
  try {
    process.chdir(cwd);
    setVariables(env);
    process.argv = [process.execPath, 'conv', ...args];
    process.exitCode = undefined;
    for (const [name, value] of Object.entries({ stdin: Readable.from([]), stdout, stderr }))
      Object.defineProperty(process, name, { configurable: true, value });
    await endInTime(start, run);
    return { stdout: stdout.text, stderr: stderr.text, exitCode: Number(process.exitCode ?? 0) };
  } finally {
    for (const name of ['stdin', 'stdout', 'stderr'] as const) Object.defineProperty(process, name, streams[name]);
    process.removeAllListeners('warning');
    for (const listener of warned) process.on('warning', listener);
    Object.assign(process, { argv, exitCode });
    setVariables(variables);
    process.chdir(folder);
  }
}

/** Resolves when the program has ended. Rejects if it has not when its time is over. */
async function endInTime({ args, timeout }: Start, run: () => Promise<void>): Promise<void> {
  const limit = AbortSignal.timeout(timeout);
  const expected = `expected "conv ${args.join(' ')}" to end in ${timeout} ms`;
  const late = new Promise<never>((_, reject) =>
    limit.addEventListener('abort', () => reject(new Error(`${expected}, found it at work; see what it waits for`))),
  );
  await Promise.race([run(), late]);
}

/** Leaves no other variables than these. The object itself stays, because only it reaches the system. */
function setVariables(wanted: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (!(name in wanted)) delete process.env[name];
  Object.assign(process.env, wanted);
}

/** A stream that is no terminal, and keeps what is written. */
class Collected extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  /** All of it but the last line break. */
  get text(): string {
    return Buffer.concat(this.#chunks)
      .toString('utf8')
      .replace(/\r?\n$/, '');
  }
}
