import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { S3Error } from './s3-error.ts';

/** Secret access keys by access key id. */
export type Credentials = Readonly<Record<string, string>>;

/** Parts of a request that a signature covers. */
export interface SignedRequest {
  readonly method: string;
  /** As it stands in the request line, escapes and all. */
  readonly rawPath: string;
  readonly rawQuery: string;
  readonly headers: IncomingHttpHeaders;
}

interface Claim {
  /** `key id/day/region/service/aws4_request`. */
  readonly scope: string;
  readonly signedHeaders: string;
  readonly signature: string;
  readonly date: string;
  /** The SHA-256 of the body in hex, or one of the words that stand in its place. */
  readonly payload: string;
}

/**
 * Checks the signature (version 4) of a request, in its `Authorization` header or in a presigned URL. Returns the hash of the
 * body as it was signed. Throws with status 403 for anything else, also for a request without a signature.
 */
export function checkSignature(request: SignedRequest, credentials: Credentials, now: number): string {
  const claim = headerClaim(request) ?? presignedClaim(request, now);
  if (!claim) throw new S3Error(403, 'AccessDenied', 'Anonymous access is forbidden.');
  const [keyId = '', day = '', region = '', service = ''] = claim.scope.split('/');
  const secret = credentials[keyId];
  if (secret === undefined) throw new S3Error(403, 'InvalidAccessKeyId');
  const text = [
    'AWS4-HMAC-SHA256',
    claim.date,
    `${day}/${region}/${service}/aws4_request`,
    hash(canonical(request, claim)),
  ];
  let key: Buffer | string = `AWS4${secret}`;
  for (const part of [day, region, service, 'aws4_request']) key = hmac(key, part);
  const expected = Buffer.from(hmac(key, text.join('\n')).toString('hex'));
  const given = Buffer.from(claim.signature);
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) {
    throw new S3Error(403, 'SignatureDoesNotMatch');
  }
  return claim.payload;
}

function headerClaim({ headers }: SignedRequest): Claim | undefined {
  const { authorization } = headers;
  if (!authorization?.startsWith('AWS4-HMAC-SHA256')) return undefined;
  const found = /Credential=([^,\s]+),\s*SignedHeaders=([^,\s]+),\s*Signature=([0-9a-f]+)/.exec(authorization);
  if (!found) throw new S3Error(400, 'AuthorizationHeaderMalformed');
  const [, scope = '', signedHeaders = '', signature = ''] = found;
  return {
    scope,
    signedHeaders,
    signature,
    date: String(headers['x-amz-date'] ?? ''),
    payload: String(headers['x-amz-content-sha256'] ?? 'UNSIGNED-PAYLOAD'),
  };
}

function presignedClaim({ rawQuery }: SignedRequest, now: number): Claim | undefined {
  const query = new URLSearchParams(rawQuery);
  const signature = query.get('X-Amz-Signature');
  if (signature === null) return undefined;
  const date = query.get('X-Amz-Date') ?? '';
  const signedAt = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  const expires = signedAt + 1000 * Number(query.get('X-Amz-Expires'));
  if (!(now <= expires)) throw new S3Error(403, 'AccessDenied', 'Request has expired');
  return {
    scope: query.get('X-Amz-Credential') ?? '',
    signedHeaders: query.get('X-Amz-SignedHeaders') ?? '',
    signature,
    date,
    payload: query.get('X-Amz-Content-Sha256') ?? 'UNSIGNED-PAYLOAD',
  };
}

/** The request in the form that is signed. */
function canonical({ method, rawPath, rawQuery, headers }: SignedRequest, claim: Claim): string {
  const path = rawPath
    .split('/')
    .map((segment) => escapeStrictly(decodeURIComponent(segment)))
    .join('/');
  const query = rawQuery
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => [pair.split('=', 1)[0] ?? '', pair.includes('=') ? pair.slice(pair.indexOf('=') + 1) : ''] as const)
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map((pair) => pair.map((part) => escapeStrictly(decodeURIComponent(part.replaceAll('+', ' ')))).join('='))
    .sort()
    .join('&');
  const lines = claim.signedHeaders.split(';').map(
    (name) =>
      `${name}:${String(headers[name] ?? '')
        .trim()
        .replaceAll(/\s+/g, ' ')}\n`,
  );
  return [method, path, query, lines.join(''), claim.signedHeaders, claim.payload].join('\n');
}

/** As `encodeURIComponent`, but for the five characters that RFC 3986 reserves and it leaves alone. */
export function escapeStrictly(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
