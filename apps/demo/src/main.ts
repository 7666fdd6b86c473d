#!/usr/bin/env node
import process from 'node:process';

import { CommanderError } from 'commander';

import { commandLine } from './command-line.ts';
import { exitCodes } from './exit-code.ts';
import { endWhenNobodyReads } from './terminal/nobody-reads.ts';

endWhenNobodyReads();
try {
  await commandLine((exitCode) => (process.exitCode = exitCode)).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  else {
    const { reportFailure } = await import('./report-failure.ts');
    process.exitCode = await reportFailure(error);
  }
}
