import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';

import { ndJsonStream, type Stream } from '@agentclientprotocol/sdk/unstable';
import { errorText } from '@conv/core';
import { timers, type Platform } from '@conv/core/platform';
import type { Confinement, ProgramStart } from '@conv/core/tool';

import { AcpAgentError } from './acp-agent-error.ts';
import type { MaskText } from './bounded.ts';
import { watchOver } from './watchdog.ts';

/** Maximum bytes of a message; a larger message ends the connection. */
const LARGEST_MESSAGE = 64 * 1024 * 1024;
/** Maximum characters of its standard error that errors show. */
const LAST_WORDS = 2000;
/** Milliseconds within which a program may end by itself, and again after SIGTERM. */
const GRACE = 1000;

/** Variables that a program gets from this process: those by which it finds files, other programs and its locale. None of them is a key. */
const INHERITED = /^(?:HOME|LANG|LC_\w+|LOGNAME|PATH|SHELL|TERM|TMPDIR|TZ|USER)$/;

/** Matches errors of a machine that has no more descriptors, processes or memory now. */
const SHORTAGE = /\b(?:EAGAIN|EMFILE|ENFILE|ENOMEM)\b/;

const running = new Set<Program>();

/** The surroundings of a program. */
export interface ProgramSurroundings {
  readonly platform: Platform;
  /** Confines the program. When it ends, so does all that it started. */
  readonly confinement: Confinement | undefined;
  readonly mask: MaskText;
}

/**
 * A program that this process has started, with messages on its standard input and output. It has its own process group, which ends with
 * the program, at {@link Program.close} and when this process ends, in whatever way.
 */
export class Program {
  readonly #child: ChildProcess;
  readonly #surroundings: ProgramSurroundings;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  #end: string | undefined;
  #lastWords = '';

  constructor(child: ChildProcess, surroundings: ProgramSurroundings) {
    this.#child = child;
    this.#surroundings = surroundings;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      // a little more than is shown, so that a value at the cut is found by the mask first
      this.#lastWords = (this.#lastWords + text).slice(-2 * LAST_WORDS);
    });
    // a program that has ended takes no input; the connection says so
    for (const part of [child, child.stdin]) part?.on('error', () => undefined);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    // a sandbox ends with this process by itself
    const dismiss = surroundings.confinement || child.pid === undefined ? undefined : watchOver(child.pid);
    child.once('exit', (code, signal) => {
      // what it has started holds its pipes open, and ends with it
      this.#signal('SIGKILL');
      dismiss?.();
      running.delete(this);
      if (running.size === 0) process.off('exit', killAll);
      const why = surroundings.confinement?.endOf?.(child.pid ?? 0);
      this.#end = why ?? (signal === null ? `it ended with code ${String(code)}` : `it was ended by ${signal}`);
      resolve();
      // a process that it has put into another group may hold its pipes for as long as it likes
      const left = surroundings.platform.setTimer(GRACE, () => {
        for (const pipe of child.stdio) pipe?.destroy();
      });
      child.once('close', () => left.cancel());
    });
    if (running.size === 0) process.once('exit', killAll);
    running.add(this);
  }

  /** Starts a program. Rejects `SPAWN_FAILED` when it cannot be started. */
  static async start(wanted: ProgramStart, surroundings: ProgramSurroundings): Promise<Program> {
    const plain = { ...wanted, env: { ...inherited(), ...wanted.env } };
    const { command, args, env, cwd } = surroundings.confinement?.confine(plain) ?? plain;
    try {
      const child = spawn(command, [...args], { cwd, env: { ...env }, stdio: 'pipe', detached: true });
      await once(child, 'spawn');
      return new Program(child, surroundings);
    } catch (error) {
      const next = SHORTAGE.test(errorText(error))
        ? 'run the conversation again'
        : 'install it, or correct its command';
      const text = `the program ${wanted.command} cannot be started in ${wanted.cwd} (${errorText(error)}): ${next}`;
      throw new AcpAgentError('SPAWN_FAILED', text, { cause: error });
    }
  }

  /** The way in which it ended, in words; `undefined` while it runs. */
  get end(): string | undefined {
    return this.#end;
  }

  /** The end of its standard error, masked and as part of a sentence; `''` without any. */
  get lastWords(): string {
    const words = this.#surroundings.mask(this.#lastWords).trim().slice(-LAST_WORDS);
    return words === '' ? '' : `; its last output was: ${words}`;
  }

  /** Returns the messages of its standard input and output. Other lines on its output are left out, because programs print there too. */
  stream(): Stream {
    const input = Writable.toWeb(this.#child.stdin as Writable) as WritableStream<Uint8Array>;
    const output = Readable.toWeb(this.#child.stdout as Readable) as unknown as ReadableStream<Uint8Array>;
    return ndJsonStream(input, output.pipeThrough(messagesAlone()), { maxMessageBytes: LARGEST_MESSAGE });
  }

  /** Closes its input, sends SIGTERM after a second, and SIGKILL after another. Resolves when it has ended. */
  async close(): Promise<void> {
    const { platform } = this.#surroundings;
    this.#child.stdin?.end();
    if (await timers.settlesWithin(platform, GRACE, this.ended)) return;
    this.#signal('SIGTERM');
    if (await timers.settlesWithin(platform, GRACE, this.ended)) return;
    this.kill();
    await this.ended;
  }

  /** Kills the program and what it started, at once. */
  kill(): void {
    this.#signal('SIGKILL');
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    // after the end the system may give the number to another process
    if (pid === undefined || this.#end !== undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // the group is gone
    }
  }
}

function killAll(): void {
  for (const program of running) program.kill();
}

function inherited(): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => INHERITED.test(name)));
}

/** Passes on the lines that are objects of JSON. */
function messagesAlone(): TransformStream<Uint8Array, Uint8Array> {
  const [newline, brace] = [0x0a, 0x7b];
  // decided by the first character of a line, so that no line has to be kept
  let passes: boolean | undefined;
  return new TransformStream({
    transform: (chunk, controller) => {
      for (let from = 0; from < chunk.length;) {
        const end = chunk.indexOf(newline, from);
        const to = end === -1 ? chunk.length : end + 1;
        passes ??= chunk[from] === brace;
        if (passes) controller.enqueue(chunk.subarray(from, to));
        if (end !== -1) passes = undefined;
        from = to;
      }
    },
  });
}
