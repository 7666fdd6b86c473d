import { lifeOf, ownIdentity, type ProcessIdentity } from '@conv/store-kit/system';

/** Returns this process as text; empty if the system cannot tell it from another process that gets its pid later. */
export function describeProcess(): string {
  const own = ownIdentity();
  return isUnique(own) ? JSON.stringify(own) : '';
}

/** True if the process that a text describes has ended for certain; false for other machines and containers. */
export function hasEnded(text: string): boolean {
  const other = parseIdentity(text);
  const own = ownIdentity();
  // Another boot may be another machine with the same database, whose processes may live.
  return other !== undefined && isUnique(own) && other.boot === own.boot && lifeOf(other, own) === 'dead';
}

function isUnique({ startedAt, boot, namespace }: ProcessIdentity): boolean {
  return startedAt !== null && namespace !== '' && !boot.startsWith('host ');
}

function parseIdentity(text: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(text) as ProcessIdentity;
  } catch {
    return undefined;
  }
}
