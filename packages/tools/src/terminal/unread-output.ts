import { readSync } from 'node:fs';
import type { ReadStream } from 'node:tty';

import type { IPty } from '@lydell/node-pty';

/** More than the kernel keeps of a terminal's output. Programs in the background may go on writing. */
const MOST = 2 ** 20;

/** The parts of node-pty's terminal that its types leave out, on systems with pseudo-terminals. */
interface Internals {
  readonly fd?: number;
  readonly _socket?: ReadStream;
}

/**
 * Lets all output of a terminal be read before the terminal is closed. node-pty closes it 200 ms after its process has ended, also while reading pauses or this
 * process is busy, and forgets what nothing has read by then.
 */
export function keepUnread(pty: IPty): void {
  const { fd, _socket: socket } = pty as Internals;
  if (fd === undefined || socket === undefined) return;
  const destroy = socket.destroy.bind(socket);
  socket.destroy = (error) => {
    // later the number may be that of another file
    if (!socket.destroyed) readRest(socket, fd);
    return destroy(error);
  };
}

/** Hands on what the stream and the kernel have. */
function readRest(socket: ReadStream, fd: number): void {
  const chunk = Buffer.alloc(2 ** 16);
  try {
    for (let all = 0, length = 1; length > 0 && all < MOST; all += length) {
      length = readSync(fd, chunk);
      socket.push(Buffer.from(chunk.subarray(0, length)));
    }
  } catch {
    // there is no more
  }
  socket.read();
}
