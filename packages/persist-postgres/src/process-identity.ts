import { readFileSync, readlinkSync } from 'node:fs';

/** Which process an owner is, for other processes of the same kernel. */
interface ProcessIdentity {
  readonly pid: number;
  /** Tells a pid that was given away again. */
  readonly startedAt: string;
  /** Which run of which kernel. */
  readonly boot: string;
  /** A pid says nothing in another namespace, such as that of another container. */
  readonly namespace: string;
}

/** This process as text; empty where a process cannot be told from another one that has its number later. */
export function describeProcess(): string {
  const identity = identityOf(process.pid);
  return identity ? JSON.stringify(identity) : '';
}

/** Whether the process that a text describes is known to have ended. Nothing is known of other machines and containers. */
export function hasEnded(text: string): boolean {
  const other = parseIdentity(text);
  const own = identityOf(process.pid);
  if (!other || !own || other.boot !== own.boot || other.namespace !== own.namespace) return false;
  const now = statusOf(other.pid);
  if (now === 'none') return true;
  if (!now) return false;
  // Z and X: it has ended, and its parent has not asked for it yet.
  return now.startedAt !== other.startedAt || now.state === 'Z' || now.state === 'X';
}

function identityOf(pid: number): ProcessIdentity | undefined {
  const status = statusOf(pid);
  if (!status || status === 'none') return undefined;
  try {
    return {
      pid,
      startedAt: status.startedAt,
      boot: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
      namespace: readlinkSync('/proc/self/ns/pid'),
    };
  } catch {
    return undefined;
  }
}

function parseIdentity(text: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(text) as ProcessIdentity;
  } catch {
    return undefined;
  }
}

/** Two fields of `/proc/<pid>/stat`, counted from behind the name; `none` when there is no such process, `undefined` where nothing is told. */
function statusOf(pid: number): { readonly state: string; readonly startedAt: string } | 'none' | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', startedAt: fields[19] ?? '' };
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH');
    return missing && process.platform === 'linux' ? 'none' : undefined;
  }
}
