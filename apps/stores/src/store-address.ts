import { resolve } from 'node:path';

/** Where conversations live. */
export type StoreAddress =
  | { readonly kind: 'fs'; readonly directory: string }
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly connectionString: string; readonly schema?: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      readonly prefix: string;
      readonly region?: string;
      /** Of a service other than AWS; its buckets are named in paths. */
      readonly endpoint?: string;
    };

/** An address that names no store, and why. */
export class StoreAddressError extends Error {
  override readonly name = 'StoreAddressError';
}

const KINDS = 'fs:DIR, sqlite:FILE, postgres://USER@HOST/DATABASE, s3:BUCKET/PREFIX';

/**
 * Reads an address: `fs:DIR`, `sqlite:FILE`, `postgres://…` with `?schema=`, `s3:BUCKET/PREFIX` with `?region=` and `?endpoint=`.
 * Without a kind it is a folder. Throws {@link StoreAddressError}, which does not repeat a password.
 */
export function parseStoreAddress(address: string): StoreAddress {
  const [, kind = 'fs', rest = address] = /^([a-z][a-z0-9]+):(.*)$/s.exec(address) ?? [];
  if (rest === '') throw new StoreAddressError(`expected the address of a store: one of ${KINDS}`);
  switch (kind) {
    case 'fs':
    case 'file':
      return { kind: 'fs', directory: resolve(rest.replace(/^\/\/(?=\/)/, '')) };
    case 'sqlite':
      return { kind: 'sqlite', file: resolve(rest.replace(/^\/\/(?=\/)/, '')) };
    case 'postgres':
    case 'postgresql':
      return postgres(address);
    case 's3':
      return s3(rest);
    default:
      if (/^\d+(?:\/|$)/.test(rest))
        throw new StoreAddressError(
          `expected the address of a store, found ${kind}:${rest}, which looks like a server; write a server as a URL, such as http://${kind}:${rest}`,
        );
      throw new StoreAddressError(`unknown kind of store ${kind}: expected one of ${KINDS}`);
  }
}

function postgres(address: string): StoreAddress {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url?.hostname && !url?.searchParams.has('host'))
    throw new StoreAddressError('expected postgres://USER:PASSWORD@HOST:PORT/DATABASE');
  const schema = url.searchParams.get('schema');
  url.searchParams.delete('schema');
  return { kind: 'postgres', connectionString: url.href, ...(schema === null ? {} : { schema }) };
}

function s3(rest: string): StoreAddress {
  const [path = '', query = ''] = rest.replace(/^\/\//, '').split('?', 2);
  const parameters = new URLSearchParams(query);
  const region = parameters.get('region');
  const endpoint = parameters.get('endpoint');
  const slash = path.indexOf('/');
  const bucket = slash < 0 ? path : path.slice(0, slash);
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw new StoreAddressError(`expected s3:BUCKET/PREFIX, found the bucket name ${JSON.stringify(bucket)}`);
  if (endpoint !== null && !URL.canParse(endpoint))
    throw new StoreAddressError(`endpoint ${JSON.stringify(endpoint)} is not a URL; write it as http://HOST:PORT`);
  const prefix = slash < 0 ? '' : path.slice(slash + 1);
  return {
    kind: 's3',
    bucket,
    prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
    ...(region === null || region === '' ? {} : { region }),
    ...(endpoint === null ? {} : { endpoint }),
  };
}
