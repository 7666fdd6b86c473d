import { checkValue } from '@conv/store-kit/system';

const HEAD = '{"check":"';
const HEAD_END = '",';
const START = HEAD.length + 8 + HEAD_END.length;

/** Encodes an object as JSON whose first member is a check value over all the others. The object must have members. */
export function sealJson(value: object): Buffer {
  // A value that was read has the check value of its own version.
  const text = JSON.stringify({ ...value, check: undefined }).slice(1);
  return Buffer.from(`${HEAD}${checkValue(text)}${HEAD_END}${text}`);
}

/** True if the bytes are an undamaged result of {@link sealJson}. */
export function isSealed(bytes: Buffer): boolean {
  const head = bytes.toString('latin1', 0, START);
  return head === `${HEAD}${checkValue(bytes.subarray(START))}${HEAD_END}`;
}
