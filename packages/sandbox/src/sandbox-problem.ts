import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { isToolError } from '@conv/core/tool';

import { tellsChildren } from './process-tree.ts';
import { sandbox } from './sandbox.ts';

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
export async function sandboxProblem(): Promise<string | undefined> {
  const workingDirectory = mkdtempSync(join(tmpdir(), 'conv-sandbox-'));
  try {
    const confinement = await sandbox().open({ conversationId: workingDirectory, workingDirectory });
    await confinement.close();
    return undefined;
  } catch (error) {
    if (!isToolError(error, 'UNSUPPORTED')) throw error;
    return error.message;
  } finally {
    await rm(workingDirectory, { recursive: true, force: true });
  }
}

/** Returns what this machine cannot limit of the programs in a sandbox, and why; `undefined` if all limits hold. */
export function limitsProblem(): string | undefined {
  if (process.platform !== 'linux' || tellsChildren()) return undefined;
  return (
    'Memory, processes, time and disk space of commands are not limited: this machine does not tell which processes a program has ' +
    'started. Use a kernel with CONFIG_PROC_CHILDREN, or run the server in a container with limits.'
  );
}
