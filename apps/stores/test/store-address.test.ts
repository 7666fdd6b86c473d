import { resolve } from 'node:path';

import { expect, it } from 'vitest';

import { parseStoreAddress, StoreAddressError } from '../src/index.ts';

it.each([
  ['fs:/data/conversations', { kind: 'fs', directory: '/data/conversations' }],
  ['file:///data/conversations', { kind: 'fs', directory: '/data/conversations' }],
  ['workspace/conversations', { kind: 'fs', directory: resolve('workspace/conversations') }],
  ['sqlite:conversations.db', { kind: 'sqlite', file: resolve('conversations.db') }],
  [
    'postgres://conv:pass@db:5432/conv?sslmode=verify-full&schema=team',
    { kind: 'postgres', connectionString: 'postgres://conv:pass@db:5432/conv?sslmode=verify-full', schema: 'team' },
  ],
  ['s3:my-bucket', { kind: 's3', bucket: 'my-bucket', prefix: '' }],
  [
    's3://my-bucket/a/b?region=eu-central-1&endpoint=http://127.0.0.1:9000',
    { kind: 's3', bucket: 'my-bucket', prefix: 'a/b/', region: 'eu-central-1', endpoint: 'http://127.0.0.1:9000' },
  ],
])('%s names a store', (address, expected) => {
  expect(parseStoreAddress(address)).toEqual(expected);
});

it.each([
  ['fs:', 'one of fs:DIR'],
  ['localhost:8000', 'found localhost:8000, which looks like a server'],
  ['mongodb://host/db', 'unknown kind of store mongodb'],
  ['s3:UPPER/x', 'found the bucket name'],
  ['s3:my-bucket?endpoint=nowhere', 'is not a URL; write it as http://HOST:PORT'],
  ['postgres://:hunter2@/', 'expected postgres:'],
])('%s is refused with a reason', (address, reason) => {
  expect(() => parseStoreAddress(address)).toThrow(StoreAddressError);
  expect(() => parseStoreAddress(address)).toThrow(reason);
  expect(() => parseStoreAddress(address)).not.toThrow('hunter2');
});
