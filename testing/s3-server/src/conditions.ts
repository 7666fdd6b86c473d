import type { IncomingHttpHeaders } from 'node:http';
import type { StoredObject } from './bucket.ts';
import { S3Error } from './s3-error.ts';
import { single } from './s3-request.ts';

/** Throws unless a write may replace `current`: `PreconditionFailed`, or `NoSuchKey` for a tag of what is not there. */
export function checkWrite(current: StoredObject | undefined, headers: IncomingHttpHeaders): void {
  const noneMatch = single(headers['if-none-match']);
  if (noneMatch !== undefined) {
    if (noneMatch !== '*') throw new S3Error(501, 'NotImplemented', 'If-None-Match takes * alone.');
    if (current) throw new S3Error(412, 'PreconditionFailed');
  }
  checkMatch(current, single(headers['if-match']));
}

/** The same for `If-Match` alone, which deletions take too. */
export function checkMatch(current: StoredObject | undefined, match: string | undefined): void {
  if (match === undefined) return;
  if (!current) throw new S3Error(404, 'NoSuchKey');
  if (match !== '*' && unquoted(match) !== current.etag) throw new S3Error(412, 'PreconditionFailed');
}

/** Throws unless `object` is to be sent: `NotModified`, or `PreconditionFailed`. */
export function checkRead(object: StoredObject, headers: IncomingHttpHeaders): void {
  const [match, noneMatch] = [single(headers['if-match']), single(headers['if-none-match'])];
  if (match !== undefined) checkMatch(object, match);
  if (noneMatch !== undefined && (noneMatch === '*' || unquoted(noneMatch) === object.etag)) {
    throw new S3Error(304, 'NotModified', 'NotModified', { etag: `"${object.etag}"` });
  }
}

function unquoted(etag: string): string {
  return etag.replaceAll('"', '');
}
