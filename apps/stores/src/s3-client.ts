import process from 'node:process';
import type { S3Client } from '@aws-sdk/client-s3';

import { type StoreAddress, StoreAddressError } from './store-address.ts';

/**
 * Makes a client for a bucket. Rejects {@link StoreAddressError} when neither the address nor the settings of AWS name the region of the bucket.
 */
export async function s3Client(
  { bucket, prefix, region, endpoint }: Extract<StoreAddress, { kind: 's3' }>,
  { S3Client: Client }: { readonly S3Client: typeof S3Client },
): Promise<S3Client> {
  const given = region ?? process.env['AWS_REGION'];
  const client = new Client({
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    requestHandler: { requestTimeout: 10_000 },
  });
  try {
    // the client looks for it at its first request, and its error names no place
    await client.config.region();
    return client;
  } catch (cause) {
    client.destroy();
    throw new StoreAddressError(
      `s3:${bucket}/${prefix}: expected the region of the bucket, found ${given === undefined ? 'none' : JSON.stringify(given)}; add ${endpoint === undefined ? '?' : '&'}region=REGION to the address, or set AWS_REGION`,
      { cause },
    );
  }
}
