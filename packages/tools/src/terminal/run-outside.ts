import { type Confinement, ToolError, type ToolResult } from '@conv/core/tool';

import { holdFolder } from '../held-folder.ts';
import { CommandRunner, type CommandRunnerOptions, type WaitLimits } from './command-runner.ts';
import { quote } from './shell-driver.ts';
import { type ShellFacts, toRefusal, toResult } from './terminal-result.ts';

/** The note for the model on a command that has failed. */
const WITHOUT_VARIABLES = ', without the variables of the shell inside: write their values in the command';

/** A command that a person has allowed to run outside of the sandbox. */
export interface OutsideCommand {
  readonly command: string;
  /** Secrets that it names. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The time and the silence after which it is ended. */
  readonly limits: WaitLimits;
  readonly facts: ShellFacts;
}

/** Options of the shell outside. Its folder is where the shell inside is. */
export type OutsideOptions = Omit<CommandRunnerOptions, 'confinement'> & { readonly confinement: Confinement };

/**
 * Runs a command once in a shell of its own that is not confined. It gets no variable of the shell inside, which programs there can set. Resolves
 * when the command and all that it started have ended. Rejects with the signal's reason when aborted.
 */
export async function runOutside(
  { command, secrets, limits, facts }: OutsideCommand,
  { confinement, ...options }: OutsideOptions,
  signal: AbortSignal,
): Promise<ToolResult> {
  const host = confinement.place(options.workingDirectory, 'read');
  // without following links, so that no program inside leads the command elsewhere
  await using folder = holdFolder(host);
  if (!folder)
    throw new ToolError('FAILED', `The command was not run: ${host} has become a link meanwhile. Call again.`);
  const runner = await CommandRunner.start({ ...options, workingDirectory: folder.pathForOthers });
  try {
    signal.throwIfAborted();
    if (!(await runner.run(endedByUnset(command), secrets, signal)))
      return toRefusal(facts, 'The shell outside of the sandbox did not take the command. Call again.');
    const outcome = await runner.wait(limits, signal);
    signal.throwIfAborted();
    const output = await runner.collect();
    if (outcome === 'timeout' || outcome === 'quiet') {
      const suffix = `\n[${describeEnd(outcome, limits)}]`;
      return toResult({ ...facts, suffix }, output, { exitCode: -1, timeout: true });
    }
    const exitCode = outcome === 'ended' ? (runner.report?.exitCode ?? -1) : (runner.exited ?? -1);
    const suffix = `\n[It ran outside of the sandbox${exitCode === 0 ? '' : WITHOUT_VARIABLES}.]`;
    return toResult({ ...facts, suffix }, output, { exitCode });
  } finally {
    await runner.close();
  }
}

/**
 * Returns a command that ends where it uses a variable that is unset, which only the shell inside may have: else `cd "$OUT"` and `rm -r *` would
 * work elsewhere. A subshell, because an interactive shell goes on with the next line.
 */
function endedByUnset(command: string): string {
  // a blank, because a command may begin like an option
  return `(set -u; eval ${quote(` ${command}`)})`;
}

function describeEnd(outcome: 'timeout' | 'quiet', { total, quiet }: WaitLimits): string {
  if (outcome === 'timeout')
    return `It was ended after ${total / 1000} s, because no command outside of the sandbox goes on behind its call.`;
  return `It was ended after ${quiet / 1000} s without output, because no command outside of the sandbox takes input. If it needs longer, call again with timeout.`;
}
