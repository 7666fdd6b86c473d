import { lifeOf, ownIdentity, type ProcessIdentity, type ProcessLife } from '@conv/store-kit/system';
import type { Platform } from '@conv/core/platform';

/** A process as `owner.json` names it: `ProcessIdentity` of `@conv/store-kit/system` under the names of this file format. */
export interface StoredProcess {
  readonly pid: number;
  /** `''` where the system does not say. */
  readonly startTime: string;
  readonly bootId: string;
  readonly pidNamespace: string;
}

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

/** Reads the identity once, because every look at another owner needs it. */
function identity(): ProcessIdentity {
  return (known ??= ownIdentity());
}

/** Returns a new name for an ownership. It tells an owner in this very process from a dropped owner. */
export function newToken(platform: Pick<Platform, 'id'>): string {
  const token = platform.id();
  tokens().add(token);
  return token;
}

/** Ends an ownership of this process. */
export function dropToken(token: string): void {
  tokens().delete(token);
}

/** Returns true if this process still holds an ownership. */
export function isHeld(token: string): boolean {
  return tokens().has(token);
}

const registry: unique symbol = Symbol.for('conv.persist-fs.tokens');

/** Returns the tokens of the process, shared by all copies of this package in it. */
function tokens(): Set<string> {
  const holder = globalThis as { [registry]?: Set<string> };
  return (holder[registry] ??= new Set());
}
