import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { unchunk } from './aws-chunked.ts';
import { checkBody, type ChecksumHeaders } from './checksums.ts';
import { operationOf, type Operation } from './operation.ts';
import { S3Error } from './s3-error.ts';
import { checkSignature, type Credentials } from './signature.ts';

/** A request whose signature and checksums are right. */
export interface S3Request {
  readonly operation: Operation;
  readonly bucket: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly checksums: ChecksumHeaders;
}

/** A request as it came in. */
export interface RawRequest {
  readonly method: string;
  /** Path and query as in the request line. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Checks and takes apart a request. Throws an {@link S3Error}. */
export function readRequest(raw: RawRequest, credentials: Credentials, now: number): S3Request {
  const { method, headers } = raw;
  const { rawPath, rawQuery } = partsOf(raw);
  return takeApart(raw, checkSignature({ method, rawPath, rawQuery, headers }, credentials, now));
}

/** Parses an unsigned request. Throws an {@link S3Error}. */
export function readUnsigned(raw: RawRequest): S3Request {
  return takeApart(raw, single(raw.headers['x-amz-content-sha256']) ?? 'UNSIGNED-PAYLOAD');
}

/** `payload`: the hash of the body, or one of the words that stand in its place. */
function takeApart(raw: RawRequest, payload: string): S3Request {
  const { method, headers } = raw;
  const { rawPath, rawQuery } = partsOf(raw);
  const { body, trailers } = bodyOf(raw, payload);
  const checksums = checkBody(body, (name) => single(headers[name]) ?? trailers[name]);
  const [bucket = '', ...segments] = rawPath.slice(1).split('/');
  const key = segments.map(decodeURIComponent).join('/');
  const query = new URLSearchParams(rawQuery);
  const copies = headers['x-amz-copy-source'] !== undefined;
  const operation = operationOf({ method, inBucket: bucket !== '', ofObject: key !== '', query, copies });
  return { operation, bucket: decodeURIComponent(bucket), key, query, headers, body, checksums };
}

function partsOf({ target }: RawRequest): { readonly rawPath: string; readonly rawQuery: string } {
  const question = target.indexOf('?');
  if (question < 0) return { rawPath: target, rawQuery: '' };
  return { rawPath: target.slice(0, question), rawQuery: target.slice(question + 1) };
}

function bodyOf({ headers, body }: RawRequest, payload: string): { body: Buffer; trailers: Record<string, string> } {
  const isChunked = payload.startsWith('STREAMING-') || (headers['content-encoding'] ?? '').includes('aws-chunked');
  if (!isChunked) {
    const isHash = /^[0-9a-f]{64}$/.test(payload);
    if (isHash && createHash('sha256').update(body).digest('hex') !== payload) {
      throw new S3Error(400, 'XAmzContentSHA256Mismatch');
    }
    return { body, trailers: {} };
  }
  const inner = unchunk(body);
  const announced = single(headers['x-amz-decoded-content-length']);
  if (announced !== undefined && Number(announced) !== inner.body.length) throw new S3Error(400, 'IncompleteBody');
  return inner;
}

/** A header as one text. */
export function single(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value[0] : value;
}
