/** The encoding in which a text file is read and written back. */
export type TextEncodingName = 'utf-8' | 'utf-8 with byte order mark' | 'utf-16le' | 'utf-16be' | 'latin1';

/** A file's text, with the encoding that is needed to write it back byte for byte. */
export interface DecodedText {
  readonly text: string;
  readonly encoding: TextEncodingName;
}

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF16LE_MARK = Buffer.from([0xff, 0xfe]);
const UTF16BE_MARK = Buffer.from([0xfe, 0xff]);
const SAMPLE = 65_536;

/** Decodes bytes; `undefined` if they are not text. Text that is neither UTF-8 nor marked as UTF-16 counts as Latin-1. */
export function decodeText(bytes: Buffer): DecodedText | undefined {
  if (startsWith(bytes, UTF8_MARK)) {
    const text = decodeUtf8(bytes.subarray(3));
    return text === undefined ? undefined : { text, encoding: 'utf-8 with byte order mark' };
  }
  if (startsWith(bytes, UTF16LE_MARK) && bytes.length % 2 === 0)
    return { text: bytes.toString('utf16le', 2), encoding: 'utf-16le' };
  if (startsWith(bytes, UTF16BE_MARK) && bytes.length % 2 === 0)
    return { text: Buffer.from(bytes.subarray(2)).swap16().toString('utf16le'), encoding: 'utf-16be' };
  if (bytes.includes(0)) return undefined;
  const text = decodeUtf8(bytes);
  if (text !== undefined) return { text, encoding: 'utf-8' };
  return looksLikeText(bytes) ? { text: bytes.toString('latin1'), encoding: 'latin1' } : undefined;
}

/** Encodes a text in a file's encoding; `undefined` if the encoding lacks one of its characters. */
export function encodeText({ text, encoding }: DecodedText): Buffer | undefined {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text);
    case 'utf-8 with byte order mark':
      return Buffer.concat([UTF8_MARK, Buffer.from(text)]);
    case 'utf-16le':
      return Buffer.concat([UTF16LE_MARK, Buffer.from(text, 'utf16le')]);
    case 'utf-16be':
      return Buffer.concat([UTF16BE_MARK, Buffer.from(text, 'utf16le').swap16()]);
    case 'latin1': {
      const bytes = Buffer.from(text, 'latin1');
      return bytes.toString('latin1') === text ? bytes : undefined;
    }
  }
}

function startsWith(bytes: Buffer, mark: Buffer): boolean {
  return bytes.subarray(0, mark.length).equals(mark);
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

// executables and images are full of control characters, and Latin-1 text is not
function looksLikeText(bytes: Buffer): boolean {
  const sample = bytes.subarray(0, SAMPLE);
  const controls = sample.filter((byte) => byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b).length;
  return controls * 100 <= sample.length;
}
