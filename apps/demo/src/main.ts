#!/usr/bin/env node
import process from 'node:process';

import { CommanderError } from 'commander';

import { commandLine } from './command-line.ts';
import { exitCodes } from './exit-code.ts';
import { failureOf } from './failure.ts';
import { endWhenNobodyReads } from './terminal/nobody-reads.ts';
import { safe } from './terminal/output.ts';
import { paletteFor } from './terminal/palette.ts';

endWhenNobodyReads();
try {
  await commandLine((exitCode) => (process.exitCode = exitCode)).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  else {
    const { message, exitCode } = failureOf(error);
    process.stderr.write(`${paletteFor(process.stderr).red('conv:')} ${safe(message)}\n`);
    process.exitCode = exitCode;
  }
}
