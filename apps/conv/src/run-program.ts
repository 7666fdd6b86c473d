import process from 'node:process';

import { CommanderError } from 'commander';

import { commandLine } from './command-line/command-line.ts';
import { askedWords, describeCompletion, isCompletion } from './command-line/completion-name.ts';
import { exitCodes } from './exit-code.ts';
import type { Program } from './program.ts';
import { endWhenNobodyReads } from './terminal/nobody-reads.ts';
import { showWarnings } from './terminal/warnings.ts';

/** Runs the command of this process's arguments. Never rejects: a failure is a line on standard error, and the exit code. */
export async function runProgram(program: Program): Promise<void> {
  endWhenNobodyReads();
  showWarnings();
  try {
    const root = commandLine(program, (exitCode) => (process.exitCode = exitCode));
    if (isCompletion(process.argv.slice(2))) {
      const { addCompletion } = await import('./command-line/completion.ts');
      await addCompletion(root, program.defaultStore, askedWords(process.argv.slice(2)));
    } else describeCompletion(root);
    await root.parseAsync();
    // a server that has not answered yet must not keep the shell waiting
    if (askedWords(process.argv.slice(2))) process.stdout.write('', () => process.exit());
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    else {
      const { reportFailure } = await import('./report-failure.ts');
      process.exitCode = await reportFailure(error);
    }
  }
}
