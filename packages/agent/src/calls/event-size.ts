import { MAX_EVENT_BYTES } from '@conv/core/events';

/** Bytes that an event may take here: less than the limit, because id, time and masking still come to it. */
export const EVENT_BYTES: number = MAX_EVENT_BYTES - 64 * 1024;

/** Bytes of a value as JSON. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}
