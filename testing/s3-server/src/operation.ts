/** Operation of a request, named as in S3's API; `NotImplemented` for operations that this server lacks. */
export type Operation =
  | 'ListBuckets'
  | 'CreateBucket'
  | 'HeadBucket'
  | 'DeleteBucket'
  | 'GetBucketLocation'
  | 'ListObjectsV2'
  | 'DeleteObjects'
  | 'PutObject'
  | 'CopyObject'
  | 'GetObject'
  | 'HeadObject'
  | 'DeleteObject'
  | 'CreateMultipartUpload'
  | 'UploadPart'
  | 'CompleteMultipartUpload'
  | 'AbortMultipartUpload'
  | 'NotImplemented';

/** Parts of a request that decide its operation. */
export interface OperationSigns {
  readonly method: string;
  readonly inBucket: boolean;
  readonly ofObject: boolean;
  readonly query: URLSearchParams;
  /** It names a source to copy. */
  readonly copies: boolean;
}

/** Members of a query that ask for something other than the plain operation of the method; those not served are refused. */
const SUBRESOURCES = [
  'acl',
  'cors',
  'encryption',
  'legal-hold',
  'lifecycle',
  'notification',
  'object-lock',
  'policy',
  'replication',
  'retention',
  'tagging',
  'versioning',
  'versionId',
  'versions',
  'website',
] as const;

/** The operation that a request asks for. */
export function operationOf({ method, inBucket, ofObject, query, copies }: OperationSigns): Operation {
  if (!inBucket) return method === 'GET' ? 'ListBuckets' : 'NotImplemented';
  if (SUBRESOURCES.some((name) => query.has(name))) return 'NotImplemented';
  return ofObject ? objectOperation(method, query, copies) : bucketOperation(method, query);
}

function bucketOperation(method: string, query: URLSearchParams): Operation {
  if (method === 'PUT') return 'CreateBucket';
  if (method === 'HEAD') return 'HeadBucket';
  if (method === 'DELETE') return 'DeleteBucket';
  if (method === 'POST' && query.has('delete')) return 'DeleteObjects';
  if (method === 'GET' && query.has('location')) return 'GetBucketLocation';
  if (method === 'GET' && query.get('list-type') === '2') return 'ListObjectsV2';
  return 'NotImplemented';
}

function objectOperation(method: string, query: URLSearchParams, copies: boolean): Operation {
  const ofUpload = query.has('uploadId');
  if (method === 'PUT' && ofUpload) return copies ? 'NotImplemented' : 'UploadPart';
  if (method === 'PUT') return copies ? 'CopyObject' : 'PutObject';
  if (method === 'GET' && !ofUpload) return 'GetObject';
  if (method === 'HEAD') return 'HeadObject';
  if (method === 'DELETE') return ofUpload ? 'AbortMultipartUpload' : 'DeleteObject';
  if (method === 'POST' && query.has('uploads')) return 'CreateMultipartUpload';
  if (method === 'POST' && ofUpload) return 'CompleteMultipartUpload';
  return 'NotImplemented';
}
