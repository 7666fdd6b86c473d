import process from 'node:process';

import { exitCodes } from '../exit-code.ts';

// a pipe of Node is a socket, and one whose reader leaves something unread, or is cut off, may be reset instead
const NOBODY_READS: ReadonlySet<string | undefined> = new Set(['EPIPE', 'ECONNRESET']);

/**
 * Ends the program when nobody reads its output any more, as in `conv list | head -1`: what runs stops as on Ctrl-C,
 * what only prints is done.
 */
export function endWhenNobodyReads(): void {
  let gone = false;
  const onError = (error: NodeJS.ErrnoException): void => {
    if (!NOBODY_READS.has(error.code)) throw error;
    // both streams may end in one pipe, and a second Ctrl-C would mean more
    if (gone) return;
    gone = true;
    if (!process.emit('SIGINT')) process.exit(exitCodes.done);
  };
  process.stdout.on('error', onError);
  process.stderr.on('error', onError);
}
