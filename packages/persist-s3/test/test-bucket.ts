import { S3Client } from '@aws-sdk/client-s3';
import { createS3Server, type S3Server } from '@conv/testing-s3-server';
import { onTestFinished } from 'vitest';
import { S3Store, type S3StoreOptions } from '../src/index.ts';

export const BUCKET = 'conversations';

/** Server with an empty bucket, and stores on it. */
export interface TestBucket {
  readonly server: S3Server;
  readonly client: S3Client;
  readonly store: (options?: Partial<S3StoreOptions>) => S3Store;
  /** Closes the stores so far and empties the bucket. */
  readonly empty: () => Promise<void>;
  readonly dispose: () => Promise<void>;
}

/** Makes a client that sends each request once, so that only the store repeats requests. */
export function clientOf(server: S3Server, secretAccessKey = 'test1234'): S3Client {
  return new S3Client({
    endpoint: server.url,
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: 'test', secretAccessKey },
  });
}

/** Opens a server with an empty bucket. Its stores look often for commits of other processes. */
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

/** Opens a bucket for the running test, and disposes of it when the test ends. */
export async function testBucket(options: { readonly now?: () => number } = {}): Promise<TestBucket> {
  const bucket = await openBucket(options);
  onTestFinished(() => bucket.dispose());
  return bucket;
}
