import { S3Error } from './s3-error.ts';

/** Content of an `aws-chunked` body. */
export interface Unchunked {
  readonly body: Buffer;
  /** Trailing headers by lower-case name, among them the checksum of a streamed body. */
  readonly trailers: Readonly<Record<string, string>>;
}

/** Takes the framing off a body that was sent in chunks of its own, beneath those of HTTP. Throws `IncompleteBody`. */
export function unchunk(bytes: Buffer): Unchunked {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = lineEnd < 0 ? Number.NaN : Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (Number.isNaN(size)) throw new S3Error(400, 'IncompleteBody');
    const start = lineEnd + 2;
    if (size === 0) return { body: Buffer.concat(parts), trailers: trailersIn(bytes.toString('latin1', start)) };
    if (start + size > bytes.length) throw new S3Error(400, 'IncompleteBody');
    parts.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
}

function trailersIn(text: string): Record<string, string> {
  const trailers: Record<string, string> = {};
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) trailers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return trailers;
}
