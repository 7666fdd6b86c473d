import process from 'node:process';

import { exitCodes } from '../exit-code.ts';

/**
 * Ends the program when nobody reads its output any more, as in `conv list | head -1`: what runs stops as on Ctrl-C,
 * what only prints is done.
 */
export function endWhenNobodyReads(): void {
  let gone = false;
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
    // both streams may end in one pipe, and a second Ctrl-C would mean more
    if (gone) return;
    gone = true;
    if (!process.emit('SIGINT')) process.exit(exitCodes.done);
  };
  process.stdout.on('error', onError);
  process.stderr.on('error', onError);
}
