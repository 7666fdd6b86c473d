import process from 'node:process';

import { type ExitCode, exitCodes } from '../exit-code.ts';
import { note } from './output.ts';

/** Runs long work that Ctrl-C stops; `hint` tells how to continue it. */
export async function stoppable(
  hint: () => string,
  run: (signal: AbortSignal) => Promise<ExitCode>,
): Promise<ExitCode> {
  const stopped = new AbortController();
  const stop = (): void => stopped.abort();
  process.once('SIGINT', stop);
  try {
    return await run(stopped.signal);
  } catch (error) {
    if (!stopped.signal.aborted) throw error;
    note(`stopped; ${hint()}`);
    return exitCodes.interrupted;
  } finally {
    process.off('SIGINT', stop);
  }
}
