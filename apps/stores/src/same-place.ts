import { realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';

import type { StoreAddress } from './store-address.ts';

/** True if two addresses are known to lead to the same conversations. Aliases of a host or an endpoint are not recognised. */
export function isSamePlace(one: StoreAddress, other: StoreAddress): boolean {
  return one.kind === other.kind && placeOf(one) === placeOf(other);
}

/** True if a store is known to lie inside the folder or below the prefix of another one, so that it would mix its data with theirs. */
export function isInside(inner: StoreAddress, outer: StoreAddress): boolean {
  if (outer.kind === 's3')
    return (
      inner.kind === 's3' &&
      inner.prefix.length > outer.prefix.length &&
      inner.prefix.startsWith(outer.prefix) &&
      isSamePlace({ ...inner, prefix: outer.prefix }, outer)
    );
  const path = pathOf(inner);
  return outer.kind === 'fs' && path !== undefined && real(path).startsWith(join(real(outer.directory), sep));
}

/** The path of a store on this machine. */
export function pathOf(address: StoreAddress): string | undefined {
  if (address.kind === 'fs') return address.directory;
  return address.kind === 'sqlite' ? address.file : undefined;
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

/** A path without links, even where its end is not there yet. */
export function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(real(parent), basename(path));
  }
}
