import { Bucket, compareKeys } from './bucket.ts';
import { S3Error } from './s3-error.ts';
import type { S3Request } from './s3-request.ts';
import { escapeStrictly } from './signature.ts';
import type { S3Answer, Storage } from './storage.ts';
import { escapeXml } from './xml.ts';

const MOST_KEYS = 1000;

export function listBuckets(storage: Storage): S3Answer {
  const names = [...storage.buckets.keys()].map((name) => `<Bucket><Name>${escapeXml(name)}</Name></Bucket>`);
  return { xml: `<ListAllMyBucketsResult><Buckets>${names.join('')}</Buckets></ListAllMyBucketsResult>` };
}

export function createBucket(storage: Storage, { bucket }: S3Request): S3Answer {
  if (storage.buckets.has(bucket)) throw new S3Error(409, 'BucketAlreadyOwnedByYou');
  storage.buckets.set(bucket, new Bucket());
  return { headers: { location: `/${bucket}` } };
}

export function headBucket(storage: Storage, { bucket }: S3Request): S3Answer {
  storage.bucket(bucket);
  return {};
}

export function getBucketLocation(storage: Storage, { bucket }: S3Request): S3Answer {
  storage.bucket(bucket);
  return { xml: '<LocationConstraint xmlns="http://s3.amazonaws.com/doc/2006-03-01/"/>' };
}

export function deleteBucket(storage: Storage, { bucket }: S3Request): S3Answer {
  if (storage.bucket(bucket).size > 0) throw new S3Error(409, 'BucketNotEmpty');
  storage.buckets.delete(bucket);
  return { status: 204 };
}

interface Listed {
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
  /** The key at which the next page begins; `undefined` on the last page. */
  readonly next: string | undefined;
}

/** Lists a page of keys, and of their common prefixes up to the delimiter. */
export function listObjects(storage: Storage, { bucket, query }: S3Request): S3Answer {
  const objects = storage.bucket(bucket);
  const prefix = query.get('prefix') ?? '';
  const listed = pageOf(objects.keys(), prefix, query);
  const urlEncoded = query.get('encoding-type') === 'url';
  const encode = urlEncoded ? (text: string) => escapeStrictly(text).replaceAll('%2F', '/') : escapeXml;
  const contents = listed.keys.map((key) => {
    const object = objects.get(key);
    if (!object) return '';
    const { etag, modified, body } = object;
    return `<Contents><Key>${encode(key)}</Key><LastModified>${new Date(modified).toISOString()}</LastModified><ETag>&quot;${etag}&quot;</ETag><Size>${body.length}</Size><StorageClass>STANDARD</StorageClass></Contents>`;
  });
  const prefixes = listed.prefixes.map((text) => `<CommonPrefixes><Prefix>${encode(text)}</Prefix></CommonPrefixes>`);
  const { next } = listed;
  const token = next === undefined ? '' : Buffer.from(next).toString('base64url');
  const parts = [
    `<Name>${escapeXml(bucket)}</Name><Prefix>${encode(prefix)}</Prefix>`,
    `<KeyCount>${listed.keys.length + listed.prefixes.length}</KeyCount><MaxKeys>${mostKeys(query)}</MaxKeys>`,
    `<IsTruncated>${next !== undefined}</IsTruncated>`,
    urlEncoded ? '<EncodingType>url</EncodingType>' : '',
    next === undefined ? '' : `<NextContinuationToken>${token}</NextContinuationToken>`,
    ...contents,
    ...prefixes,
  ];
  return {
    xml: `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</ListBucketResult>`,
  };
}

function mostKeys(query: URLSearchParams): number {
  return Math.min(MOST_KEYS, Number(query.get('max-keys') ?? MOST_KEYS));
}

function pageOf(sorted: readonly string[], prefix: string, query: URLSearchParams): Listed {
  const token = query.get('continuation-token');
  const after = token === null ? (query.get('start-after') ?? '') : Buffer.from(token, 'base64url').toString();
  const delimiter = query.get('delimiter') ?? '';
  const most = mostKeys(query);
  const keys: string[] = [];
  const prefixes: string[] = [];
  let last = '';
  for (let at = firstAt(sorted, prefix, after); at < sorted.length; at++) {
    const key = sorted[at] ?? '';
    if (!key.startsWith(prefix)) break;
    const cut = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    const common = cut < 0 ? undefined : key.slice(0, cut + delimiter.length);
    if (common !== undefined && (after.startsWith(common) || prefixes.at(-1) === common)) {
      last = key;
      continue;
    }
    if (keys.length + prefixes.length >= most) return { keys, prefixes, next: last };
    if (common === undefined) keys.push(key);
    else prefixes.push(common);
    last = key;
  }
  return { keys, prefixes, next: undefined };
}

/** The place of the first key that is behind `after` and not before `prefix`, by halving. */
function firstAt(sorted: readonly string[], prefix: string, after: string): number {
  const isBehind = compareKeys(after, prefix) > 0 || after === prefix;
  const skips = (key: string): boolean =>
    after !== '' && isBehind ? compareKeys(key, after) <= 0 : compareKeys(key, prefix) < 0;
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (skips(sorted[middle] ?? '')) low = middle + 1;
    else high = middle;
  }
  return low;
}
