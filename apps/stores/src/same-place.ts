import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import type { StoreAddress } from './store-address.ts';

/** True if two addresses are known to lead to the same conversations. Other names of a host or an endpoint are not seen through. */
export function isSamePlace(one: StoreAddress, other: StoreAddress): boolean {
  return one.kind === other.kind && placeOf(one) === placeOf(other);
}

function placeOf(address: StoreAddress): string {
  switch (address.kind) {
    case 'fs':
      return real(address.directory);
    case 'sqlite':
      return real(address.file);
    case 'postgres': {
      const { hostname, port, pathname, searchParams } = new URL(address.connectionString);
      const host = searchParams.get('host') ?? hostname;
      return JSON.stringify([host, port || '5432', pathname, address.schema ?? null]);
    }
    case 's3':
      return JSON.stringify([address.endpoint ?? null, address.bucket, address.prefix]);
  }
}

/** A path without links, also where its end is not there yet. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(real(parent), basename(path));
  }
}
