import { MAX_EVENT_BYTES } from '@conv/core/events';
import type { MaskText } from '../base/mask-text.ts';

/** Maximum bytes of an event here: below the limit of events, because id, time and masking add to it. */
export const EVENT_BYTES: number = MAX_EVENT_BYTES - 64 * 1024;

/** Returns the bytes of a value as JSON. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** Returns the bytes of a value as JSON with its secrets masked, which is at most twice as long. */
export function maskedBytes(value: unknown, mask: MaskText): number {
  const text = JSON.stringify(value) ?? '';
  const bytes = Buffer.byteLength(text);
  return bytes <= EVENT_BYTES / 2 ? bytes : Math.max(bytes, Buffer.byteLength(mask(text)));
}
