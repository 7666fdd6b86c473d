import type { Bucket, StoredObject } from './bucket.ts';
import { S3Error } from './s3-error.ts';

/** Answer of a handler; `xml` is a body of its own kind. */
export interface S3Answer {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: Uint8Array;
  readonly xml?: string;
}

/** A part of an upload. */
export interface UploadedPart {
  readonly body: Buffer;
  readonly etag: string;
}

/** An object that arrives in parts. */
export interface Upload {
  readonly headers: Readonly<Record<string, string>>;
  readonly parts: Map<number, UploadedPart>;
}

/** Everything that the server holds, in memory. */
export class Storage {
  readonly buckets: Map<string, Bucket> = new Map();
  readonly uploads: Map<string, Upload> = new Map();
  readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  /** Throws `NoSuchBucket`. */
  bucket(name: string): Bucket {
    const bucket = this.buckets.get(name);
    if (!bucket) throw new S3Error(404, 'NoSuchBucket', 'The specified bucket does not exist');
    return bucket;
  }

  /** Throws `NoSuchBucket` or `NoSuchKey`. */
  object(bucket: string, key: string): StoredObject {
    const object = this.bucket(bucket).get(key);
    if (!object) throw new S3Error(404, 'NoSuchKey', 'The specified key does not exist.');
    return object;
  }
}
