import { encodeLine, firstLine } from './line.ts';
import type { Place } from './place.ts';

/**
 * Kind of a slot. `commits` holds commits, and `fence` marks the beginning of an ownership. `void` holds nothing, so that a write
 * whose answer was lost can never come in.
 */
export type SlotKind = 'commits' | 'fence' | 'void';

/** First line of a slot. */
export interface SlotHeader {
  readonly v: 1;
  readonly kind: SlotKind;
  /** Instance of its log. Slots of older versions do not name it. */
  readonly log?: string;
  readonly slot: number;
  readonly epoch: number;
  /** Random value of this write alone: a process that finds it in the slot has found that write. */
  readonly nonce: string;
  /** Numbers of its first commit and event; in a slot without commits, of the next ones. */
  readonly seq: number;
  readonly event: number;
  /** Number of commits and of events in it. */
  readonly commits: number;
  readonly events: number;
}

/** Slot as it was read. */
export interface Slot {
  /** Header; `undefined` if it is damaged. */
  readonly header: SlotHeader | undefined;
  /** Lines of its commits. */
  readonly body: Buffer;
}

/** Encodes a slot. `lines`: its commits, each as one line. */
export function encodeSlot(header: SlotHeader, lines: readonly Buffer[]): Buffer {
  return Buffer.concat([encodeLine(JSON.stringify(header)), ...lines]);
}

export function decodeSlot(bytes: Buffer): Slot {
  const line = firstLine(bytes);
  const header = line?.text === undefined ? undefined : (JSON.parse(line.text) as SlotHeader);
  return { header, body: bytes.subarray(line?.end ?? 0) };
}

/** True if the bytes are a slot of another log, or of another place in this one. */
export function isMisplaced(bytes: Buffer, log: string, slot: number): boolean {
  const { header } = decodeSlot(bytes);
  return header !== undefined && (header.slot !== slot || (header.log ?? log) !== log);
}

/** Returns the end of a log whose last slot has this header. */
export function placeAfter({ slot, seq, event, commits, events }: SlotHeader): Place {
  return { slot, seq: seq + commits, event: event + events };
}
