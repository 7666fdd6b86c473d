import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { isToolError, ToolError, type Confinement } from '@conv/core/tool';

import { NOT_HELD, TRY, TRYING } from './call-filters.ts';
import { firstInside } from './process-tree.ts';
import { sandbox, type SandboxOptions } from './sandbox.ts';

/**
 * Resolves with the reason why this machine cannot confine programs; `undefined` if it can. It is for programs that then run without a
 * sandbox and say so. Ask once, at the start, and never when a workspace is refused: an agent can cause that.
 *
 * @example
 * ```ts
 * import { sandbox, sandboxProblem } from '@conv/sandbox';
 * import { terminal } from '@conv/tools';
 *
 * const problem = await sandboxProblem();
 * if (problem !== undefined) console.warn(`Commands run without a sandbox. ${problem}`);
 *
 * export const shell = terminal(problem === undefined ? { sandbox: sandbox() } : {});
 * ```
 */
export async function sandboxProblem(
  options: Pick<SandboxOptions, 'directory' | 'network'> = {},
): Promise<string | undefined> {
  return (await tried(options)).problem;
}

/**
 * Resolves with what this process cannot limit of the programs in a sandbox, and why: their use of the machine, and the system calls that they make;
 * `undefined` if all limits hold, or if there is no sandbox. Ask once, at the start. Rejects if the program that it starts for this cannot be started.
 */
export async function limitsProblem(options: Pick<SandboxOptions, 'directory'> = {}): Promise<string | undefined> {
  return (await tried(options)).unlimited;
}

/** The result of a try. */
export interface Tried {
  /** The reason why this machine cannot confine programs. */
  readonly problem?: string;
  /** The limits that this process cannot hold confined programs to, and why. */
  readonly unlimited?: string;
}

/** Tries the sandbox with one program. Resolves with what it lacks. Rejects if the program cannot be started. */
export async function tried(options: Pick<SandboxOptions, 'directory' | 'network'>): Promise<Tried> {
  const workingDirectory = mkdtempSync(join(tmpdir(), 'conv-sandbox-'));
  try {
    const confinement = await sandbox(options).open({ conversationId: workingDirectory, workingDirectory });
    try {
      const { isSeen, isFiltered } = await triedIn(confinement, workingDirectory);
      const lacks = [...(isSeen ? [] : [UNLIMITED]), ...(isFiltered ? [] : [UNFILTERED])];
      return lacks.length === 0 ? {} : { unlimited: lacks.join(' ') };
    } finally {
      await confinement.close();
    }
  } catch (error) {
    if (!isToolError(error, 'UNSUPPORTED')) throw error;
    return { problem: error.message };
  } finally {
    await rm(workingDirectory, { recursive: true, force: true });
  }
}

/** Milliseconds in which a program must have begun. */
const LONGEST = 60_000;

/**
 * Runs a program that tries its filter of system calls. Resolves with true for what holds: this process sees the first process inside, and
 * the filter is in force, where there are filters. Rejects with the reason why the program cannot be started.
 */
async function triedIn(confinement: Confinement, cwd: string): Promise<Record<'isSeen' | 'isFiltered', boolean>> {
  const line = { command: '/bin/sh', args: ['-c', `${TRY}; exec cat`], cwd, env: TRYING };
  const { command, args, env } = confinement.confine(line);
  const limited = { timeout: LONGEST, killSignal: 'SIGKILL' } as const;
  const program = spawn(command, args, { env: { ...env }, stdio: 'pipe', ...limited });
  const ended = once(program, 'close');
  // such a program has no pipes
  if (program.pid === undefined) await ended;
  program.stdin.once('error', () => undefined);
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  let said = '';
  program.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (said.includes(BEGUN)) resolve();
  });
  let complaint = '';
  program.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  // it has begun when it repeats this, and lives as long as more may come
  program.stdin.write(BEGUN);
  await Promise.race([begun, ended]);
  if (!said.includes(BEGUN))
    throw new ToolError(
      'FAILED',
      `The sandbox could not start a program: ${complaint.trim() || 'it was ended'}. Try again.`,
    );
  try {
    const isSeen = program.pid !== undefined && firstInside(program.pid) !== undefined;
    return { isSeen, isFiltered: process.platform !== 'linux' || !said.startsWith(NOT_HELD) };
  } finally {
    program.kill('SIGKILL');
    await ended;
  }
}

/** A word of this process that a program repeats. */
const BEGUN = 'begun';

const UNLIMITED =
  'Memory, processes, time and disk space of commands are not limited: this process does not see in /proc which processes a program has ' +
  'started. Allow it to read /proc, or run the server in a container with limits.';

const UNFILTERED =
  'System calls of commands are not filtered: expected a kernel with CONFIG_SECCOMP_FILTER, a bubblewrap with the option --seccomp and a ' +
  `processor whose calls are known, found one of them missing on this ${process.arch}. Commands can use keys in keyrings of the kernel, let files of the workspace run ` +
  'as their owner, and type into a terminal that they are given. Run the server in a container.';
