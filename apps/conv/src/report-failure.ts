import process from 'node:process';

import type { ExitCode } from './exit-code.ts';
import { failureOf } from './failure.ts';
import { safe } from './terminal/output.ts';
import { paletteFor } from './terminal/palette.ts';

/** Writes the line about a failed command to standard error. Resolves with the exit code of the program. */
export async function reportFailure(error: unknown): Promise<ExitCode> {
  const { message, exitCode } = await failureOf(error);
  process.stderr.write(`${paletteFor(process.stderr).red('conv:')} ${safe(message)}\n`);
  return exitCode;
}
