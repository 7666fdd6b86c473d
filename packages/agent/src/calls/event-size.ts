import { MAX_EVENT_BYTES } from '@conv/core/events';
import type { MaskText } from '../base/mask-text.ts';

/** Bytes that an event may take here: less than the limit, because id, time and masking still come to it. */
export const EVENT_BYTES: number = MAX_EVENT_BYTES - 64 * 1024;

/** Bytes of a value as JSON. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** Bytes of a value as JSON, when its secrets are masked, which may make it longer, though not twice as long. */
export function maskedBytes(value: unknown, mask: MaskText): number {
  const text = JSON.stringify(value) ?? '';
  const bytes = Buffer.byteLength(text);
  return bytes <= EVENT_BYTES / 2 ? bytes : Math.max(bytes, Buffer.byteLength(mask(text)));
}
