import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Which process something belongs to, so that another one can tell whether it still lives. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When the process started, in ticks since boot: tells a reused pid. `''` where the system does not say. */
  readonly startTime: string;
  /** Changes with every boot. */
  readonly bootId: string;
  /** Processes of another pid namespace (another container) cannot be asked for by pid. */
  readonly pidNamespace: string;
}

/** What is known of a process from its identity. */
export type ProcessLife = 'alive' | 'dead' | 'unknown';

/** This process. */
export function thisProcess(): ProcessIdentity {
  identity ??= {
    pid: process.pid,
    startTime: statOf(process.pid).startTime ?? '',
    bootId: orElse(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), `host ${hostname()}`),
    pidNamespace: orElse(() => readlinkSync('/proc/self/ns/pid'), ''),
  };
  return identity;
}

let identity: ProcessIdentity | undefined;

/** Whether the process lives, as far as this one can see. */
export function lifeOf(other: ProcessIdentity, own: ProcessIdentity = thisProcess()): ProcessLife {
  if (other.bootId !== own.bootId)
    return other.bootId.startsWith('host ') || own.bootId.startsWith('host ') ? 'unknown' : 'dead';
  if (other.pidNamespace !== own.pidNamespace) return 'unknown';
  try {
    process.kill(other.pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH' ? 'dead' : 'alive';
  }
  const { state, startTime } = statOf(other.pid);
  // Killed, and not yet reaped by its parent, which in a container may never happen.
  if (state === 'Z' || state === 'X') return 'dead';
  return startTime === undefined || other.startTime === '' || startTime === other.startTime ? 'alive' : 'dead';
}

/** A name for one ownership, so that an owner in this very process can be told from one that was dropped. */
export function newToken(): string {
  const token = randomUUID();
  tokens().add(token);
  return token;
}

/** Ends an ownership of this process. */
export function dropToken(token: string): void {
  tokens().delete(token);
}

/** Whether an ownership of this process is still held. */
export function isHeld(token: string): boolean {
  return tokens().has(token);
}

const registry: unique symbol = Symbol.for('conv.persist-fs.tokens');

/** Shared by all copies of this package in the process. */
function tokens(): Set<string> {
  const holder = globalThis as { [registry]?: Set<string> };
  return (holder[registry] ??= new Set());
}

/**
 * The 3rd and the 22nd field of `/proc/<pid>/stat`, where there is one; the 2nd may hold spaces and parentheses, so fields
 * count from its end.
 */
function statOf(pid: number): { readonly state?: string | undefined; readonly startTime?: string | undefined } {
  return orElse<ReturnType<typeof statOf>>(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0], startTime: fields[19] };
  }, {});
}

function orElse<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read();
  } catch {
    // a system without /proc
    return otherwise;
  }
}
