import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Which process an owner is, so that another process can tell whether it still lives. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Ticks between boot and the start of the process, which tells a pid that was given away again; `null` where it is not told. */
  readonly startedAt: string | null;
  /** Which run of which kernel. */
  readonly boot: string;
  /** The pid says nothing about processes of another namespace, as those of another container are. */
  readonly namespace: string;
}

/** This process, as other processes know it. */
export function ownIdentity(): ProcessIdentity {
  return {
    pid: process.pid,
    startedAt: statusOf(process.pid)?.startedAt ?? null,
    boot: readOr(`host ${hostname()}`, () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    namespace: readOr('', () => readlinkSync('/proc/self/ns/pid')),
  };
}

/** Whether a process lives: `undefined` when that cannot be known from here. */
export function isAlive(other: ProcessIdentity, own: ProcessIdentity): boolean | undefined {
  if (other.boot !== own.boot) return isKernel(other.boot) && isKernel(own.boot) ? false : undefined;
  if (other.namespace !== own.namespace) return undefined;
  if (!answers(other.pid)) return false;
  const status = statusOf(other.pid);
  if (!status) return true;
  // Ended, and still in the list because its parent has not asked for it.
  if (status.state === 'Z' || status.state === 'X') return false;
  return other.startedAt === null || status.startedAt === other.startedAt;
}

/** Milliseconds of a clock that all processes of one boot share and that nobody sets. */
export function sinceBoot(): number {
  return Math.floor(Number(process.hrtime.bigint() / 1_000_000n));
}

function isKernel(boot: string): boolean {
  return !boot.startsWith('host ');
}

function answers(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user may not be sent a signal, but it is there.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** Two fields of `/proc/<pid>/stat`; they are counted from the name's end, which may hold spaces and parentheses. */
function statusOf(pid: number): { readonly state: string; readonly startedAt: string } | undefined {
  return readOr(undefined, () => {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', startedAt: fields[19] ?? '' };
  });
}

/** For systems without `/proc`. */
function readOr<Value>(otherwise: Value, read: () => Value): Value {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
