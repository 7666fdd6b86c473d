import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { StoredObject } from './bucket.ts';
import { ownChecksum } from './checksums.ts';
import { checkMatch, checkRead, checkWrite } from './conditions.ts';
import { S3Error } from './s3-error.ts';
import { single, type S3Request } from './s3-request.ts';
import type { S3Answer, Storage } from './storage.ts';
import { elementsOf, escapeXml, textOf, unescapeXml } from './xml.ts';

const KEPT_HEADERS = ['content-type', 'cache-control', 'content-disposition', 'content-language', 'expires'];
/**
 * Maximal bytes for which the server adds the checksum that S3 adds by itself. It costs time, and no test reads it for larger
 * bodies.
 */
const OWN_CHECKSUM_BYTES = 64 * 1024;
const MOST_DELETED = 1000;

export function putObject(storage: Storage, { bucket, key, headers, body, checksums }: S3Request): S3Answer {
  const target = storage.bucket(bucket);
  checkWrite(target.get(key), headers);
  const sent = Object.keys(checksums).length > 0;
  const object: StoredObject = {
    body,
    etag: createHash('md5').update(body).digest('hex'),
    modified: storage.now(),
    headers: keptHeaders(headers),
    checksums: sent || body.length > OWN_CHECKSUM_BYTES ? checksums : ownChecksum(body),
  };
  target.put(key, object);
  return { headers: { etag: `"${object.etag}"`, ...object.checksums } };
}

export function copyObject(storage: Storage, { bucket, key, headers }: S3Request): S3Answer {
  const source = decodeURIComponent(single(headers['x-amz-copy-source']) ?? '').replace(/^\//, '');
  const slash = source.indexOf('/');
  const object = storage.object(source.slice(0, slash), source.slice(slash + 1));
  const target = storage.bucket(bucket);
  checkWrite(target.get(key), headers);
  const copy = { ...object, modified: storage.now() };
  target.put(key, copy);
  const modified = new Date(copy.modified).toISOString();
  return {
    xml: `<CopyObjectResult><ETag>&quot;${copy.etag}&quot;</ETag><LastModified>${modified}</LastModified></CopyObjectResult>`,
  };
}

export function getObject(storage: Storage, { bucket, key, headers }: S3Request): S3Answer {
  const object = storage.object(bucket, key);
  checkRead(object, headers);
  const { body } = object;
  const range = rangeOf(single(headers.range), body.length);
  const shown: Record<string, string | number> = {
    ...object.headers,
    etag: `"${object.etag}"`,
    'last-modified': new Date(object.modified).toUTCString(),
    'accept-ranges': 'bytes',
  };
  if (!range) {
    const wanted = headers['x-amz-checksum-mode'] === 'ENABLED' ? object.checksums : {};
    return { headers: { ...shown, ...wanted, 'content-length': body.length }, body };
  }
  const { from, to } = range;
  const placed = { 'content-range': `bytes ${from}-${to}/${body.length}`, 'content-length': to - from + 1 };
  return { status: 206, headers: { ...shown, ...placed }, body: body.subarray(from, to + 1) };
}

export function deleteObject(storage: Storage, { bucket, key, headers }: S3Request): S3Answer {
  const target = storage.bucket(bucket);
  checkMatch(target.get(key), single(headers['if-match']));
  target.delete(key);
  return { status: 204 };
}

export function deleteObjects(storage: Storage, { bucket, body }: S3Request): S3Answer {
  const target = storage.bucket(bucket);
  const text = body.toString();
  const keys = elementsOf(text, 'Key').map(unescapeXml);
  if (keys.length > MOST_DELETED) throw new S3Error(400, 'MalformedXML');
  for (const key of keys) target.delete(key);
  const quiet = textOf(text, 'Quiet') === 'true';
  const deleted = quiet ? [] : keys.map((key) => `<Deleted><Key>${escapeXml(key)}</Key></Deleted>`);
  return { xml: `<DeleteResult>${deleted.join('')}</DeleteResult>` };
}

/** Returns the headers of a writing request that are stored and returned with the object. */
export function keptHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const text = single(value);
    if (text !== undefined && (name.startsWith('x-amz-meta-') || KEPT_HEADERS.includes(name))) kept[name] = text;
  }
  // aws-chunked says how the request was framed, not how the object is encoded.
  const encodings = (headers['content-encoding'] ?? '').split(',').map((text) => text.trim());
  const own = encodings.filter((text) => text !== '' && text !== 'aws-chunked').join(',');
  return own === '' ? kept : { ...kept, 'content-encoding': own };
}

/** The bytes that a `Range` header asks for, both ends inclusive; `undefined` for all. */
function rangeOf(header: string | undefined, length: number): { from: number; to: number } | undefined {
  const found = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!found) return undefined;
  const [, first = '', last = ''] = found;
  if (first === '' && last === '') return undefined;
  const from = first === '' ? Math.max(0, length - Number(last)) : Number(first);
  const to = first === '' || last === '' ? length - 1 : Math.min(length - 1, Number(last));
  if (from >= length || from > to) throw new S3Error(416, 'InvalidRange');
  return { from, to };
}
