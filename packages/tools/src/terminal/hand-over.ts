import { execFile } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { promisify } from 'node:util';

import { END_OF_VALUES } from './shell-driver.ts';

/** Makes a named pipe that only this user can use. */
export async function makePipe(path: string): Promise<void> {
  await promisify(execFile)('/bin/sh', ['-c', 'command -p mkfifo -m 600 "$1"', 'sh', path], { env: {} });
}

/**
 * Hands values to a shell through a named pipe: they are in the memory of this process, of the kernel and of the shell,
 * never on a disk. It does not wait for the shell: a shell that never reads costs a buffer until {@link
 * HandOver.close}.
 */
export class HandOver {
  readonly #reader: number;
  readonly #socket: Socket;
  #closed = false;

  /** Writes the values into the pipe. Throws the system's error if there is no pipe at `path`. */
  constructor(path: string, environment: Readonly<Record<string, string>>) {
    // With an end open for reading, the end for writing opens at once, and the values stay until the shell reads them.
    this.#reader = openPipe(path, constants.O_RDONLY);
    try {
      // as a socket, because files are written by threads, which a full pipe would block
      this.#socket = new Socket({ fd: openPipe(path, constants.O_WRONLY), readable: false, writable: true });
    } catch (error) {
      closeSync(this.#reader);
      throw error;
    }
    this.#socket.on('error', () => undefined);
    const lines = Object.entries(environment).flatMap(([name, value]) => [name, escapeBytes(value)]);
    this.#socket.write([...lines, END_OF_VALUES, ''].join('\n'), 'latin1');
  }

  /** Forgets the values that the shell has not read. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#socket.destroy();
    closeSync(this.#reader);
  }
}

function openPipe(path: string, mode: number): number {
  const file = openSync(path, mode | constants.O_NONBLOCK);
  if (fstatSync(file).isFIFO()) return file;
  closeSync(file);
  throw new Error(`${path} is no pipe`);
}

/** Returns the value as one line of ASCII that `printf %b` turns back, in every locale of the shell. */
function escapeBytes(value: string): string {
  const bytes = Buffer.from(value).toString('latin1');
  return bytes.replace(/[^ -[\]-~]/g, (byte) => String.raw`\0` + byte.charCodeAt(0).toString(8).padStart(3, '0'));
}
