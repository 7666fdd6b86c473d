import { crc32 } from '@conv/store-kit/system';

import { StoreError } from '@conv/core/store';

/**
 * The header before each payload: magic 4, payload length 4, payload CRC 4, epoch 4, seq 6, first event 6, number of
 * events 4, durable offset 6, kind 1, format 1, header CRC 4; little-endian.
 */
export const FRAME_HEADER_BYTES = 44;

/** The byte 0xFF never occurs in UTF-8, so that no payload can hold what looks like a frame. */
export const FRAME_MAGIC: Uint8Array = Uint8Array.of(0xff, 0x63, 0x76, 0x00);

const FORMAT = 1;
const kinds = ['epoch', 'commit'] as const;

/** An epoch frame says where its log continues from; a commit frame holds one commit as JSON. */
export type FrameKind = (typeof kinds)[number];

/** The facts about a frame that its header holds. */
export interface FrameHeader {
  readonly kind: FrameKind;
  readonly epoch: number;
  /** The number of the commit; for an epoch, the number of its first commit. */
  readonly seq: number;
  readonly firstEvent: number;
  readonly events: number;
  /** All bytes of the file before this offset were durable and acknowledged when the frame was written. */
  readonly durable: number;
}

export interface ReadFrameHeader extends FrameHeader {
  readonly length: number;
  readonly crc: number;
}

export function encodeFrame(header: FrameHeader, payload: string): Buffer {
  const length = Buffer.byteLength(payload);
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + length);
  frame.write(payload, FRAME_HEADER_BYTES);
  frame.set(FRAME_MAGIC, 0);
  frame.writeUInt32LE(length, 4);
  frame.writeUInt32LE(crc32(frame.subarray(FRAME_HEADER_BYTES)), 8);
  frame.writeUInt32LE(header.epoch, 12);
  frame.writeUIntLE(header.seq, 16, 6);
  frame.writeUIntLE(header.firstEvent, 22, 6);
  frame.writeUInt32LE(header.events, 28);
  frame.writeUIntLE(header.durable, 32, 6);
  frame[38] = kinds.indexOf(header.kind);
  frame[39] = FORMAT;
  frame.writeUInt32LE(crc32(frame.subarray(0, 40)), 40);
  return frame;
}

/**
 * Reads the header at `offset`. Returns `undefined` if there is none or it is damaged. Throws `UNSUPPORTED` for a whole header of
 * a newer format, because a log that counts as damaged would be abandoned.
 */
export function decodeFrameHeader(bytes: Buffer, offset: number): ReadFrameHeader | undefined {
  if (offset + FRAME_HEADER_BYTES > bytes.length) return undefined;
  const format = bytes[offset + 39] ?? 0;
  if (bytes[offset] !== 0xff || format < FORMAT) return undefined;
  if (crc32(bytes.subarray(offset, offset + 40)) !== bytes.readUInt32LE(offset + 40)) return undefined;
  if (format > FORMAT)
    throw new StoreError(
      'UNSUPPORTED',
      `the log has format ${format} of a newer version, this one knows ${FORMAT}; update the package`,
    );
  const kind = kinds[bytes[offset + 38] ?? -1];
  if (kind === undefined) return undefined;
  return {
    kind,
    length: bytes.readUInt32LE(offset + 4),
    crc: bytes.readUInt32LE(offset + 8),
    epoch: bytes.readUInt32LE(offset + 12),
    seq: bytes.readUIntLE(offset + 16, 6),
    firstEvent: bytes.readUIntLE(offset + 22, 6),
    events: bytes.readUInt32LE(offset + 28),
    durable: bytes.readUIntLE(offset + 32, 6),
  };
}

/** Returns true if these are the bytes that the frame was written with. */
export function isPayload(header: ReadFrameHeader, payload: Uint8Array): boolean {
  return payload.length === header.length && crc32(payload) === header.crc;
}
