import type { S3Client } from '@aws-sdk/client-s3';
import type { S3Registry, S3Store } from '@conv/persist-s3';

import { StoreAddressError } from './store-address.ts';

/**
 * Loads the packages that stores of a kind need. Rejects {@link StoreAddressError} with the command that installs them when one of them is
 * missing.
 */
export async function driver<T>(kind: string, packages: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissing(cause, packages)) throw cause;
    throw new StoreAddressError(
      `stores with ${kind} addresses need packages that are not installed; install them with: npm i ${packages}`,
      { cause },
    );
  }
}

/** Parts of the packages of stores in S3. */
export type S3Drivers = readonly [
  { readonly S3Client: typeof S3Client },
  { readonly S3Store: typeof S3Store; readonly S3Registry: typeof S3Registry },
];

/** Loads the packages of stores in S3. */
export function s3Drivers(): Promise<S3Drivers> {
  return driver('s3', '@conv/persist-s3 @aws-sdk/client-s3', () =>
    Promise.all([import('@aws-sdk/client-s3'), import('@conv/persist-s3')]),
  );
}

/** True if one of the packages itself could not be found, not a dependency of one. */
function isMissing(error: unknown, packages: string): boolean {
  if (!(error instanceof Error) || (error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') return false;
  return packages.split(' ').some((name) => error.message.startsWith(`Cannot find package '${name}'`));
}
