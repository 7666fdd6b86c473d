import { S3Client } from '@aws-sdk/client-s3';
import { S3Store } from '@conv/persist-s3';
import { createS3Server, type S3Server } from '@conv/testing-s3-server';

/** Prices of S3 Standard in us-east-1, in dollars; deleting is free. */
const PRICE = { put: 0.005 / 1000, get: 0.0004 / 1000 };

/** A service with an empty bucket for one measurement, which counts requests and whose clock can be put forward. */
export class BucketPlace implements AsyncDisposable {
  readonly server: S3Server;
  readonly #client: S3Client;
  readonly #clock: { ahead: number };
  readonly #stores: S3Store[] = [];

  private constructor(server: S3Server, clock: { ahead: number }) {
    this.server = server;
    this.#clock = clock;
    this.#client = new S3Client({
      endpoint: server.url,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: 'test', secretAccessKey: 'test1234' },
    });
  }

  static async open(): Promise<BucketPlace> {
    const clock = { ahead: 0 };
    const server = await createS3Server({ now: () => Date.now() + clock.ahead });
    server.createBucket('bench');
    return new BucketPlace(server, clock);
  }

  store(): S3Store {
    const store = new S3Store({ client: this.#client, bucket: 'bench' });
    this.#stores.push(store);
    return store;
  }

  /** Advances the clock by a minute, so that every owner so far counts as silent for that time. */
  stall(): void {
    this.#clock.ahead += 60_000;
  }

  /** Requests since {@link BucketPlace.forget}, and their price. */
  get asked(): { readonly puts: number; readonly gets: number; readonly requests: number; readonly price: number } {
    const { PutObject = 0, CopyObject = 0, ListObjectsV2 = 0, GetObject: gets = 0 } = this.server.counts;
    const puts = PutObject + CopyObject + ListObjectsV2;
    return { puts, gets, requests: this.server.requests.length, price: puts * PRICE.put + gets * PRICE.get };
  }

  /** Counts anew. */
  forget(): void {
    this.server.forget();
  }

  /** Bytes of all commits. */
  get logBytes(): number {
    const keys = this.server.keys('bench').filter((key) => key.includes('/slot-'));
    return keys.reduce((sum, key) => sum + this.server.body('bench', key).length, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#stores.map((store) => store.close()));
    this.#client.destroy();
    await this.server.close();
  }
}
