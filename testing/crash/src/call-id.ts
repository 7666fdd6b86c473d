import { randomUUID } from 'node:crypto';

/** A tool call id that says which life asked for the call. */
export function newCallId(life: number): string {
  return `life${life}-${randomUUID()}`;
}

/** The life that asked for a call. */
export function lifeOf(callId: string): number {
  return Number(/^life(\d+)-/.exec(callId)?.[1] ?? 0);
}
