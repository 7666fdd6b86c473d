import process from 'node:process';

import { exitCodes } from '../exit-code.ts';

// a pipe of Node is a socket, and may be reset instead when its reader leaves something unread or is cut off; a terminal that was
// closed answers with EIO
const NOBODY_READS: ReadonlySet<string | undefined> = new Set(['EPIPE', 'ECONNRESET', 'EIO']);

/**
 * Ends the program when its output has lost its reader, as in `conv list | head -1`: a run stops as on Ctrl-C, a command that only
 * prints ends.
 */
export function endWhenNobodyReads(): void {
  let gone = false;
  const onError = (error: NodeJS.ErrnoException): void => {
    if (!NOBODY_READS.has(error.code)) throw error;
    // both streams may end in one pipe, and a second Ctrl-C would stop more
    if (gone) return;
    gone = true;
    if (!process.emit('SIGINT')) process.exit(exitCodes.done);
  };
  process.stdout.on('error', onError);
  process.stderr.on('error', onError);
}
