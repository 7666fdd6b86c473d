import { createHash, randomUUID } from 'node:crypto';
import { checkWrite } from './conditions.ts';
import { keptHeaders } from './object-operations.ts';
import { S3Error } from './s3-error.ts';
import type { S3Request } from './s3-request.ts';
import type { S3Answer, Storage, Upload, UploadedPart } from './storage.ts';
import { elementsOf, escapeXml, textOf } from './xml.ts';

const SMALLEST_PART = 5 * 1024 * 1024;

export function createUpload(storage: Storage, { bucket, key, headers }: S3Request): S3Answer {
  storage.bucket(bucket);
  const id = randomUUID();
  storage.uploads.set(id, { headers: keptHeaders(headers), parts: new Map() });
  return {
    xml: `<InitiateMultipartUploadResult><Bucket>${escapeXml(bucket)}</Bucket><Key>${escapeXml(key)}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
  };
}

export function uploadPart(storage: Storage, { query, body, checksums }: S3Request): S3Answer {
  const { upload } = uploadOf(storage, query);
  const etag = createHash('md5').update(body).digest('hex');
  upload.parts.set(Number(query.get('partNumber')), { body, etag });
  return { headers: { etag: `"${etag}"`, ...checksums } };
}

export function completeUpload(storage: Storage, { bucket, key, query, headers, body }: S3Request): S3Answer {
  const { id, upload } = uploadOf(storage, query);
  const parts = namedParts(upload, body.toString());
  const target = storage.bucket(bucket);
  checkWrite(target.get(key), headers);
  const digests = Buffer.concat(parts.map(({ etag }) => Buffer.from(etag, 'hex')));
  const etag = `${createHash('md5').update(digests).digest('hex')}-${parts.length}`;
  const whole = Buffer.concat(parts.map((part) => part.body));
  target.put(key, { body: whole, etag, modified: storage.now(), headers: upload.headers, checksums: {} });
  storage.uploads.delete(id);
  return {
    xml: `<CompleteMultipartUploadResult><Bucket>${escapeXml(bucket)}</Bucket><Key>${escapeXml(key)}</Key><ETag>&quot;${etag}&quot;</ETag></CompleteMultipartUploadResult>`,
  };
}

export function abortUpload(storage: Storage, { query }: S3Request): S3Answer {
  storage.uploads.delete(uploadOf(storage, query).id);
  return { status: 204 };
}

function uploadOf(storage: Storage, query: URLSearchParams): { id: string; upload: Upload } {
  const id = query.get('uploadId') ?? '';
  const upload = storage.uploads.get(id);
  if (!upload) throw new S3Error(404, 'NoSuchUpload');
  return { id, upload };
}

/** The parts that the completing request names, which must be there, in order, and large enough but for the last. */
function namedParts(upload: Upload, xml: string): UploadedPart[] {
  let before = 0;
  const parts = elementsOf(xml, 'Part').map((text) => {
    const number = Number(textOf(text, 'PartNumber'));
    const part = upload.parts.get(number);
    if (!part || part.etag !== textOf(text, 'ETag')?.replaceAll('"', '')) throw new S3Error(400, 'InvalidPart');
    if (number <= before) throw new S3Error(400, 'InvalidPartOrder');
    before = number;
    return part;
  });
  if (parts.length === 0) throw new S3Error(400, 'MalformedXML');
  if (parts.slice(0, -1).some(({ body }) => body.length < SMALLEST_PART)) throw new S3Error(400, 'EntityTooSmall');
  return parts;
}
