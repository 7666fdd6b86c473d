import { checkValue } from '@conv/store-kit/system';

const LINE_FEED = 10;
/** Length of the head of a line: eight hex digits and a space. */
const HEAD = 9;

/** Encodes a line of a stored object: a checksum, and a text without line feeds, such as JSON. */
export function encodeLine(text: string): Buffer {
  const bytes = Buffer.from(`00000000 ${text}\n`);
  bytes.write(checkValue(bytes.subarray(HEAD, -1)), 0, 'latin1');
  return bytes;
}

/** Line of a stored object. */
export interface Line {
  /** Text of the line; `undefined` if it is damaged. */
  readonly text: string | undefined;
  /** Offsets of the line and of the next one. */
  readonly start: number;
  readonly end: number;
}

/** Yields the lines of `bytes` in order. Bytes after the last line feed are a damaged line. */
export function* linesOf(bytes: Buffer): Generator<Line, void, undefined> {
  for (let start = 0; start < bytes.length;) {
    const feed = bytes.indexOf(LINE_FEED, start);
    const end = feed < 0 ? bytes.length : feed + 1;
    yield { text: feed < 0 ? undefined : textOf(bytes.subarray(start, feed)), start, end };
    start = end;
  }
}

/** Returns the first line; `undefined` if there are no bytes. */
export function firstLine(bytes: Buffer): Line | undefined {
  return linesOf(bytes).next().value ?? undefined;
}

function textOf(line: Buffer): string | undefined {
  if (line.length < HEAD) return undefined;
  const body = line.subarray(HEAD);
  return line.toString('latin1', 0, HEAD - 1) === checkValue(body) ? body.toString() : undefined;
}
