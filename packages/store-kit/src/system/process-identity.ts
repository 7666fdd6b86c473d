import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Identifies a process, so that another process can tell later if it still lives. It is plain JSON and can be stored. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Ticks between boot and the start of the process, which tells a reused pid; `null` where the system does not say. */
  readonly startedAt: string | null;
  /** The id of the kernel's current boot, or `host NAME` where the system has no such id. */
  readonly boot: string;
  /** The pid namespace: a pid means nothing in another namespace, such as that of another container. */
  readonly namespace: string;
}

/** The state of a process: `unknown` if this one cannot see it, as in another container or on another machine. */
export type ProcessLife = 'alive' | 'dead' | 'unknown';

/** Returns the identity of this process. */
export function ownIdentity(): ProcessIdentity {
  return {
    pid: process.pid,
    startedAt: statusOf(process.pid)?.startedAt ?? null,
    boot: readOr(`host ${hostname()}`, () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    namespace: readOr('', () => readlinkSync('/proc/self/ns/pid')),
  };
}

/**
 * Returns the state of a process that ran on this machine. A process of an earlier boot is dead. If the process may have run on
 * another machine, compare `boot` first: then another boot means `unknown`.
 */
export function lifeOf(other: ProcessIdentity, own: ProcessIdentity = ownIdentity()): ProcessLife {
  if (other.boot !== own.boot) return isBootId(other.boot) && isBootId(own.boot) ? 'dead' : 'unknown';
  if (other.namespace !== own.namespace) return 'unknown';
  if (!isRunning(other.pid)) return 'dead';
  const status = statusOf(other.pid);
  if (!status) return 'alive';
  // Z and X: the process has ended, and its parent has not collected its exit code, which in a container may never happen.
  if (status.state === 'Z' || status.state === 'X') return 'dead';
  return other.startedAt === null || status.startedAt === other.startedAt ? 'alive' : 'dead';
}

function isBootId(boot: string): boolean {
  return !boot.startsWith('host ');
}

/** True if a process of this pid namespace has this pid. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process of another user may not be signalled, but it is there.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** Reads fields 3 and 22 of `/proc/<pid>/stat`, counted from the end: field 2 may hold spaces and parentheses. */
function statusOf(pid: number): { readonly state: string; readonly startedAt: string | null } | undefined {
  return readOr(undefined, () => {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', startedAt: fields[19] ?? null };
  });
}

/** Returns `otherwise` on a system without `/proc`. */
function readOr<Value>(otherwise: Value, read: () => Value): Value {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
