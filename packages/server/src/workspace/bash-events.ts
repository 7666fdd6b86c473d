import { randomUUID } from 'node:crypto';

/** Returns the id and time of an event of a command: 32 hex digits, and a time in UTC with six fraction digits. */
export function stamp(now: Date): { readonly id: string; readonly timestamp: string } {
  return { id: randomUUID().replaceAll('-', ''), timestamp: now.toISOString().replace('Z', '000Z') };
}
