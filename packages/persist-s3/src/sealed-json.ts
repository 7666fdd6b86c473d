import { crc32 } from 'node:zlib';

const HEAD = '{"check":"';
const HEAD_END = '",';
const DIGITS = 8;
const START = HEAD.length + DIGITS + HEAD_END.length;

/** Encodes an object as JSON whose first member is a check value over all the others. The object must have members. */
export function sealJson(value: object): Buffer {
  const text = JSON.stringify(value).slice(1);
  return Buffer.from(`${HEAD}${checkOf(Buffer.from(text))}${HEAD_END}${text}`);
}

/** True if the bytes are an undamaged result of {@link sealJson}. */
export function isSealed(bytes: Buffer): boolean {
  const head = bytes.toString('latin1', 0, START);
  return head === `${HEAD}${checkOf(bytes.subarray(START))}${HEAD_END}`;
}

function checkOf(bytes: Uint8Array): string {
  return crc32(bytes).toString(16).padStart(DIGITS, '0');
}
