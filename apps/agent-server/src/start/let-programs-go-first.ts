import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import process from 'node:process';

/** Processes with this score are ended before all others when no memory is left. From -1000 to 1000. */
const FIRST_TO_GO = '1000';

/**
 * Lets Linux end the programs that this process starts from now on before this process, when no memory is left in the machine, the
 * container or the unit of the service manager: commands, hooks, MCP servers, git and executors, with all that they start. The terminal does so
 * for its shells by itself. A program can lower its own score again, so this protects from greed, and not from malice.
 */
export function letProgramsGoFirst(): void {
  if (process.platform !== 'linux') return;
  subscribe('child_process', (message) => {
    const { process: child } = message as { readonly process: ChildProcess };
    child.once('spawn', () => raiseScore(child));
  });
}

function raiseScore({ pid }: ChildProcess): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, FIRST_TO_GO);
  } catch {
    // Ignore the failure: the program has ended, belongs to another user, or cannot be read by its own.
  }
}
