import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { isToolError, type Confinement } from '@conv/core/tool';

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
 * Resolves with what this process cannot limit of the programs in a sandbox, and why; `undefined` if all limits hold, or if there is no
 * sandbox. Ask once, at the start. Rejects if the program that it starts for this cannot be started.
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
      return (await isSeen(confinement, workingDirectory)) ? {} : { unlimited: UNLIMITED };
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

/** Resolves with true if this process sees the first process of a program inside. Rejects with the reason why the program cannot be started. */
async function isSeen(confinement: Confinement, cwd: string): Promise<boolean> {
  const { command, args, env } = confinement.confine({
    command: 'cat',
    args: [],
    cwd,
    env: { PATH: '/usr/bin:/bin' },
  });
  const limited = { timeout: LONGEST, killSignal: 'SIGKILL' } as const;
  const program = spawn(command, args, { env: { ...env }, stdio: ['pipe', 'pipe', 'ignore'], ...limited });
  const ended = once(program, 'close');
  // such a program has no pipes
  if (program.pid === undefined) await ended;
  program.stdin.once('error', () => undefined);
  // it has begun when it repeats this, and lives as long as more may come
  program.stdin.write('begun');
  await Promise.race([once(program.stdout, 'readable'), ended]);
  try {
    return program.pid !== undefined && firstInside(program.pid) !== undefined;
  } finally {
    program.kill('SIGKILL');
    program.stdout.resume();
    await ended;
  }
}

const UNLIMITED =
  'Memory, processes, time and disk space of commands are not limited: this process does not see in /proc which processes a program has ' +
  'started. Allow it to read /proc, or run the server in a container with limits.';
