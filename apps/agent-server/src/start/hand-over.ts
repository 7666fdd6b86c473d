import { closeSync, fstatSync, ftruncateSync, openSync, readSync, rmSync, writeSync, constants } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import process from 'node:process';

/**
 * Restarts the program with an environment and a command line that hold no key. Every process of the same user can read what a
 * process was started with, for as long as it lives (`/proc/PID/environ`), and an environment cannot be cleared in place.
 *
 * The process id stays the same, so that signals, exit codes and supervisors notice nothing. The removed values travel in a file without a
 * name as standard input, which the server does not read otherwise.
 */

/** The variable that identifies the file with the removed values. It is not secret. */
const HANDED_OVER = 'CONV_HANDED_OVER';

/** Keeps Node from opening its debugger to every process of the user that sends SIGUSR1. */
const NO_INSPECTOR = '--disable-sigusr1';

/**
 * Megabytes of each half of the young generation. Node lets it grow to 64 MB for both on a large machine, and a server that waits for people never gives
 * them back. It starts so large, because a start allocates more.
 */
const YOUNG = 8;

/** Variables that the start of Node and the C library read; all others are handed over. */
const KEPT =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|PWD|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|TERM|HOSTNAME|NODE_[A-Z_]+|SSL_CERT_(?:FILE|DIR)|OPENSSL_CONF|LD_LIBRARY_PATH|LD_PRELOAD|DYLD_[A-Z_]+|MALLOC_[A-Z_]+|UV_[A-Z_]+|ICU_DATA)$/;

/** A user and a password in an address. */
const CREDENTIALS_IN_URL = /[a-z][a-z\d+.-]*:\/\/[^\s/@]*:[^\s/@]+@/i;

interface HandedOver {
  readonly environment: Readonly<Record<string, string>>;
  readonly arguments: readonly string[];
}

/** Restores the removed values in the second start. In the first start, restarts the program and does not return. */
export function startWithoutKeys(): void {
  process.env['PATH'] = absoluteOnly(process.env['PATH'] ?? '');
  if (takeBack()) return;
  // Windows has no such call, and no /proc either
  if (typeof process.execve !== 'function') return;
  handOver();
}

function handOver(): void {
  const given = Object.entries(process.env) as [string, string][];
  const [script = '', ...args] = process.argv.slice(1);
  const carried = {
    environment: Object.fromEntries(given.filter(([name, value]) => !mayStay(name, value))),
    arguments: args,
  } satisfies HandedOver;
  const name = carry(carried) ?? '';
  const shown = args.some((argument) => CREDENTIALS_IN_URL.test(argument)) ? [] : args;
  const environment = Object.fromEntries(given.filter(([key, value]) => mayStay(key, value)));
  const options = [...process.execArgv.filter((option) => option !== NO_INSPECTOR), NO_INSPECTOR, ...youngGeneration()];
  process.removeAllListeners('warning');
  process.execve?.(process.execPath, [process.execPath, ...options, script, ...shown], {
    ...environment,
    [HANDED_OVER]: name,
  });
}

/** Returns the options of the young generation, unless who started the program chose them. */
function youngGeneration(): readonly string[] {
  const given = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''];
  // Node takes both spellings
  if (given.some((option) => /semi[-_]space[-_]size/.test(option))) return [];
  return [`--min-semi-space-size=${YOUNG}`, `--max-semi-space-size=${YOUNG}`];
}

/**
 * Returns the absolute folders of `PATH`. Programs start in folders of agents, and a file there must not be taken for a program
 * of the system.
 */
function absoluteOnly(path: string): string {
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .join(delimiter);
}

function mayStay(name: string, value: string): boolean {
  return KEPT.test(name) && !CREDENTIALS_IN_URL.test(value);
}

/** Writes the values to an unnamed file, which becomes standard input. Returns the identity of the file. */
function carry(carried: HandedOver): string | undefined {
  const file = openUnnamed();
  const text = Buffer.from(JSON.stringify(carried));
  for (let written = 0; written < text.length;) written += writeSync(file, text, written);
  return nameOf(file);
}

/** a new file gets the lowest free number, and standard input was just closed */
function openUnnamed(): number {
  for (const folder of ['/dev/shm', tmpdir()]) {
    const path = join(folder, `conv-${randomBytes(12).toString('hex')}`);
    try {
      // finds a folder that cannot be written to before standard input is closed
      rmSync(path, { force: true });
      closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600));
    } catch {
      continue;
    }
    closeQuietly(0);
    const file = openSync(path, constants.O_RDWR);
    rmSync(path);
    if (file !== 0) throw new Error('standard input could not be replaced');
    return file;
  }
  throw new Error(`neither /dev/shm nor ${tmpdir()} can be written to; let this user write to one`);
}

function takeBack(): boolean {
  const name = process.env[HANDED_OVER];
  delete process.env[HANDED_OVER];
  if (name === undefined || name !== nameOf(0)) return false;
  const { size } = fstatSync(0);
  const text = Buffer.alloc(size);
  for (let read = 0; read < size;) {
    const more = readSync(0, text, read, size - read, read);
    if (more === 0) break;
    read += more;
  }
  ftruncateSync(0);
  closeSync(0);
  openSync('/dev/null', constants.O_RDONLY);
  const { environment, arguments: args } = JSON.parse(text.toString()) as HandedOver;
  Object.assign(process.env, environment);
  process.argv.splice(2, Infinity, ...args);
  return true;
}

/** Returns the identity of an open file; a file of another start, or a terminal, has another identity. */
function nameOf(file: number): string | undefined {
  try {
    const { dev, ino, nlink } = fstatSync(file, { bigint: true });
    return nlink === 0n ? `${dev}:${ino}` : undefined;
  } catch {
    return undefined;
  }
}

function closeQuietly(file: number): void {
  try {
    closeSync(file);
  } catch {
    // the parent process has closed it
  }
}
