import { userMessage, type EventDraft } from '@conv/core/events';

const STAMP = /"at ([\d.]+) /;

/** Bytes of an event beside its text. */
const AROUND = 360;

/** Milliseconds on a clock that the processes of a machine share. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/** A message of about so many bytes as an event, which says when it was made. */
export function stampedEvent(bytes: number): EventDraft {
  return userMessage(`at ${now().toFixed(3)} ${'x'.repeat(Math.max(0, bytes - AROUND))}`);
}

/** Returns the time when the event in this frame was made; `undefined` when it carries none. */
export function stampOf(frame: string): number | undefined {
  const stamp = STAMP.exec(frame)?.[1];
  return stamp === undefined ? undefined : Number(stamp);
}
