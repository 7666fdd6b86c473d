import process from 'node:process';

import { defaultStoreAddress } from '@conv/stores';

import { runProgram } from './run-program.ts';

/** Runs `conv` with the arguments of this process. */
export async function runConv(): Promise<void> {
  // npm sets the variable to `exec` for a program that npx has fetched
  const invocation = process.env['npm_command'] === 'exec' ? 'npx @conv/cli' : 'conv';
  await runProgram({ invocation, defaultStore: defaultStoreAddress() });
}
