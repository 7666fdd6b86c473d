import assert from 'node:assert/strict';
import { S3Client, S3ServiceException, type GetObjectCommandOutput } from '@aws-sdk/client-s3';

/** The server that is checked, and an account of it that may make a bucket. */
export interface S3CheckTarget {
  /** The URL of the server, such as `http://127.0.0.1:9000`. */
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Default `us-east-1`. */
  readonly region?: string;
  /** The bucket that {@link createBucketCheck} makes and the other checks use. */
  readonly bucket: string;
}

/** Context of a check: the target, and a client of it that does not retry. */
export interface S3CheckBench {
  readonly target: S3CheckTarget;
  readonly client: S3Client;
  readonly bucket: string;
}

/** A behaviour of S3. */
export interface S3Check {
  /** A sentence; unique. */
  readonly name: string;
  /** Rejects when the server does something else. */
  readonly run: (bench: S3CheckBench) => Promise<void>;
}

/** A client of the target that sends each request once. */
export function createCheckClient(
  target: S3CheckTarget,
  options: { secretAccessKey?: string; lazy?: boolean } = {},
): S3Client {
  const { accessKeyId, region = 'us-east-1', endpoint } = target;
  return new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey: options.secretAccessKey ?? target.secretAccessKey },
    maxAttempts: 1,
    ...(options.lazy ? { requestChecksumCalculation: 'WHEN_REQUIRED' as const } : {}),
  });
}

/** The whole body of an object. */
export async function bodyOf(output: Pick<GetObjectCommandOutput, 'Body'>): Promise<Buffer> {
  return Buffer.from((await output.Body?.transformToByteArray()) ?? []);
}

/** Passes when `promise` is refused with one of these statuses. */
export async function refusedWith(statuses: readonly number[], promise: Promise<unknown>): Promise<void> {
  const outcome = await promise.then(
    () => new Error('nothing: it was carried out'),
    (error: unknown) => error,
  );
  assert.ok(
    outcome instanceof S3ServiceException,
    `a refusal with ${statuses.join(' or ')}, but got ${String(outcome)}`,
  );
  const status = outcome.$metadata.httpStatusCode ?? 0;
  assert.ok(statuses.includes(status), `a refusal with ${statuses.join(' or ')}, but got ${status} ${outcome.name}`);
}
