import { randomUUID } from 'node:crypto';
import { lifeOf, ownIdentity, type ProcessIdentity, type ProcessLife } from '@conv/store-kit/system';

/** A process as `owner.json` names it: `ProcessIdentity` of `@conv/store-kit/system` under the names of this file format. */
export interface StoredProcess {
  readonly pid: number;
  /** `''` where the system does not say. */
  readonly startTime: string;
  readonly bootId: string;
  readonly pidNamespace: string;
}

/** Returns this process. */
export function thisProcess(): StoredProcess {
  const { pid, startedAt, boot, namespace } = identity();
  return { pid, startTime: startedAt ?? '', bootId: boot, pidNamespace: namespace };
}

/** Returns the state of a process, as far as this one can see it. */
export function lifeOfProcess({ pid, startTime, bootId, pidNamespace }: StoredProcess): ProcessLife {
  const other = { pid, startedAt: startTime === '' ? null : startTime, boot: bootId, namespace: pidNamespace };
  return lifeOf(other, identity());
}

let known: ProcessIdentity | undefined;

/** Read once, because every look at another owner needs it. */
function identity(): ProcessIdentity {
  return (known ??= ownIdentity());
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
