import { S3Client } from '@aws-sdk/client-s3';
import { createS3Server, type S3Server } from '@conv/testing-s3-server';
import { onTestFinished } from 'vitest';
import { S3Store, type S3StoreOptions } from '../src/index.ts';

export const BUCKET = 'conversations';

/** A server with an empty bucket, and stores on it. */
export interface TestBucket {
  readonly server: S3Server;
  readonly client: S3Client;
  readonly store: (options?: Partial<S3StoreOptions>) => S3Store;
  /** Closes the stores so far and takes everything out of the bucket. */
  readonly empty: () => Promise<void>;
  readonly dispose: () => Promise<void>;
}

/** A client of a server that sends each request once: what is tried again is tried again by the store. */
export function clientOf(server: S3Server, secretAccessKey = 'test1234'): S3Client {
  return new S3Client({
    endpoint: server.url,
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: 'test', secretAccessKey },
  });
}

/** Stores of this bucket look often for what others write. */
export async function openBucket(options: { readonly now?: () => number } = {}): Promise<TestBucket> {
  const server = await createS3Server(options);
  server.createBucket(BUCKET);
  const client = clientOf(server);
  const stores: S3Store[] = [];
  return {
    server,
    client,
    store: (more = {}) => {
      const store = new S3Store({ client, bucket: BUCKET, poll: 50, ...more });
      stores.push(store);
      return store;
    },
    empty: async () => {
      await Promise.all(stores.splice(0).map((store) => store.close()));
      server.createBucket(BUCKET);
    },
    dispose: async () => {
      server.faults = undefined;
      await Promise.all(stores.map((store) => store.close()));
      client.destroy();
      await server.close();
    },
  };
}

/** The same, for the running test. */
export async function testBucket(options: { readonly now?: () => number } = {}): Promise<TestBucket> {
  const bucket = await openBucket(options);
  onTestFinished(() => bucket.dispose());
  return bucket;
}
