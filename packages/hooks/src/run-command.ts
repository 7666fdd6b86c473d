import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { timers, type Platform } from '@conv/core/platform';
import type { Confinement } from '@conv/core/tool';
import { BoundedText } from './bounded-text.ts';
import { ProcessGroup } from './process-group.ts';

/** The most characters of each output that are read; later output is dropped. */
const OUTPUT_LIMIT = 262_144;
/** Milliseconds between the request to end and the kill. */
const KILL_DELAY = 40;
/** Default of {@link CommandOptions.linger}. */
const LINGER = 200;
/** The time after which a command that the system has not ended is left to the system. */
const GIVE_UP = 30;

export interface CommandOptions {
  readonly platform: Platform;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Confines the command. When it ends, so does everything that it started. */
  readonly confinement?: Confinement | undefined;
  /** Ends the command and all processes that it started. */
  readonly signal: AbortSignal;
  /** Milliseconds to wait for more output after the shell has ended while a process that it started holds the pipe. Default 200. */
  readonly linger?: number;
}

export interface CommandEnd {
  /** Absent when it was killed or never started. */
  readonly exitCode?: number;
  readonly killedBy?: NodeJS.Signals;
  /** The reason for which its sandbox ended it, in words. */
  readonly endedBy?: string;
  /** The words of its sandbox about what was refused, if it failed. */
  readonly refused?: string;
  /** The error if the command could not be started. */
  readonly error?: Error;
  /** True if the signal came before the end of the command. */
  readonly stopped?: boolean;
  readonly stdout: BoundedText;
  readonly stderr: BoundedText;
}

/**
 * Runs a command with `/bin/sh` in a process group of its own. Resolves when the command and the processes that it left
 * in its group are dead, at the latest 100 ms after the signal.
 */
export async function runCommand(command: string, input: string, options: CommandOptions): Promise<CommandEnd> {
  const stdout = new BoundedText(OUTPUT_LIMIT);
  const stderr = new BoundedText(OUTPUT_LIMIT);
  const { directory: folder, environment, confinement } = options;
  const plain = { command: '/bin/sh', args: ['-c', command], cwd: folder, env: environment };
  const start = confinement?.confine(plain) ?? plain;
  const child: ChildProcess = spawn(start.command, [...start.args], {
    cwd: start.cwd,
    env: { ...start.env },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const end = ended(child, options);
  // there are no pipes when the process has no files left to open
  const { stdin, stdout: output, stderr: errors } = child as Partial<ChildProcess>;
  output?.setEncoding('utf8').on('data', (piece: string) => stdout.write(piece));
  errors?.setEncoding('utf8').on('data', (piece: string) => stderr.write(piece));
  // a hook that does not read its input is not a failure
  stdin?.on('error', () => undefined);
  stdin?.end(input);
  try {
    const ending = await end;
    const limit = confinement?.endOf?.(child.pid ?? 0);
    // a hook that was refused a process, and did its work without it, has ended by itself
    const endedBy = ending.exitCode === 0 ? undefined : limit;
    const refused = ending.exitCode === 0 ? undefined : confinement?.refusedIn?.(stderr.text, folder);
    const byItsSandbox = { ...(endedBy !== undefined && { endedBy }), ...(refused !== undefined && { refused }) };
    return { ...ending, ...byItsSandbox, stdout, stderr };
  } finally {
    // processes that left the group may hold the other ends
    for (const stream of [stdin, output, errors]) stream?.destroy();
    child.unref();
  }
}

type Ending = Pick<CommandEnd, 'exitCode' | 'killedBy' | 'error' | 'stopped'>;

type EndingOptions = Pick<CommandOptions, 'platform' | 'signal' | 'linger'>;

async function ended(child: ChildProcess, { platform, signal, linger = LINGER }: EndingOptions): Promise<Ending> {
  const group = new ProcessGroup(child, platform);
  const over = new AbortController();
  const exit = exitOf(child);
  const closed = once(child, 'close', { signal: over.signal }).catch(() => undefined);
  const aborted = abortOf(signal, over.signal);
  const pause = (milliseconds: number): Promise<void> =>
    timers.sleep(platform, milliseconds, { signal: over.signal }).catch(() => undefined);
  try {
    const ending = await Promise.race([exit, aborted]);
    if (ending) await Promise.race([closed, aborted, pause(linger)]);
    if (signal.aborted && group.signal('SIGTERM')) await group.gone(KILL_DELAY);
    await group.kill();
    return ending ?? { ...(await Promise.race([exit, pause(GIVE_UP)])), stopped: true };
  } finally {
    over.abort();
  }
}

function exitOf(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ error }));
    child.once('exit', (code, killedBy) => {
      resolve({ ...(code !== null && { exitCode: code }), ...(killedBy && { killedBy }) });
    });
  });
}

async function abortOf(signal: AbortSignal, over: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await once(signal, 'abort', { signal: over }).catch(() => undefined);
}
