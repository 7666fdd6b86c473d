import { encodeLine, firstLine } from './line.ts';
import type { Place } from './place.ts';

/**
 * What is in a slot: commits; nothing but the beginning of an ownership; or nothing at all, so that a write whose answer was lost
 * can never come in.
 */
export type SlotKind = 'commits' | 'fence' | 'void';

/** The first line of a slot. */
export interface SlotHeader {
  readonly v: 1;
  readonly kind: SlotKind;
  readonly slot: number;
  readonly epoch: number;
  /** Made for this write alone: whoever finds it has found that write. */
  readonly nonce: string;
  /** The numbers of its first commit and event, or those that the next ones will have. */
  readonly seq: number;
  readonly event: number;
  /** How many there are in it. */
  readonly commits: number;
  readonly events: number;
}

/** A slot as it was read. */
export interface Slot {
  /** `undefined`: damaged. */
  readonly header: SlotHeader | undefined;
  /** The lines of its commits. */
  readonly body: Buffer;
}

/** The bytes of a slot. `lines`: its commits, each as one line. */
export function encodeSlot(header: SlotHeader, lines: readonly Buffer[]): Buffer {
  return Buffer.concat([encodeLine(JSON.stringify(header)), ...lines]);
}

/** A slot from its bytes. */
export function decodeSlot(bytes: Buffer): Slot {
  const line = firstLine(bytes);
  const header = line?.text === undefined ? undefined : (JSON.parse(line.text) as SlotHeader);
  return { header, body: bytes.subarray(line?.end ?? 0) };
}

/** Where a log ends that ends with this slot. */
export function placeAfter({ slot, seq, event, commits, events }: SlotHeader): Place {
  return { slot, seq: seq + commits, event: event + events };
}
