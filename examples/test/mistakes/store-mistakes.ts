// Mistakes with stores.
import { S3Client } from '@aws-sdk/client-s3';
import { MemoryStore } from '@conv/core/store';
import { FsStore } from '@conv/persist-fs';
import { PostgresStore } from '@conv/persist-postgres';
import { S3Store } from '@conv/persist-s3';
import { SqliteStore } from '@conv/persist-sqlite';

import { type Anything, file, wrong, id, type Loose, type Mistake } from './setting.ts';

/** Mistakes with stores. */
export const storeMistakes: readonly Mistake[] = [
  [() => new FsStore(wrong('x')), 'new FsStore: expected an object with the options …, found a string'],
  [() => new (FsStore as unknown as Anything)(), 'new FsStore: expected an object with the options …, found nothing'],
  [() => new FsStore(wrong({ path: 'x' })), 'new FsStore: there is no option "path"; the options are …'],
  [
    () => new FsStore({ directory: 'x', leaseTimeout: 5 }),
    'new FsStore: leaseTimeout: expected at least 100 milliseconds, found 5',
  ],
  [
    () => new FsStore(wrong({ directory: 'x', mirror: 'sometimes' })),
    'new FsStore: mirror: expected always, deferred, found "sometimes"',
  ],
  [
    () => new FsStore(wrong({ directory: 'x', report: 'stderr' })),
    'new FsStore: report: expected a function of a finding, found a string',
  ],
  [() => new SqliteStore(wrong({ path: 'x' })), 'new SqliteStore: there is no option "path"; the options are …'],
  [() => new SqliteStore(wrong('x')), 'new SqliteStore: expected an object with the options …, found a string'],
  [
    async () =>
      new SqliteStore({
        file: file('text.db', 'this is no database at all, but a text that is long enough to be read as a header'),
      }).list(),
    '[CORRUPT] database <folder>/text.db: file is not a database; restore a backup, or name another file',
  ],
  [
    () => new PostgresStore(wrong({ url: 'postgres://x' })),
    'new PostgresStore: there is no option "url"; the options are …',
  ],
  [
    () => new PostgresStore(wrong({ pool: 'postgres://x' })),
    'new PostgresStore: pool: expected a Pool of the package pg, found a string',
  ],
  [
    () => new PostgresStore(wrong({ pool: { query() {}, connect() {} }, schema: 'a b;' })),
    'schema: expected a name that matches ^[a-z_][a-z0-9_]{0,47}$, found "a b;"',
  ],
  [
    () => new S3Store(wrong({ bucket: 'x' })),
    'new S3Store: client: expected an S3Client of @aws-sdk/client-s3, found nothing',
  ],
  [
    () => new S3Store(wrong({ client: { region: 'x' }, bucket: 'x' })),
    'new S3Store: client: expected an S3Client of @aws-sdk/client-s3, found an object',
  ],
  [
    () => new S3Store(wrong({ client: new S3Client({ region: 'x' }) })),
    'new S3Store: bucket: expected the name of a bucket, found nothing',
  ],
  [
    () => new S3Store(wrong({ client: new S3Client({ region: 'x' }), bucket: 's3://x/y' })),
    'new S3Store: bucket: expected the name of a bucket alone, found a path or a URL; give the path as the prefix',
  ],
  [
    () => new MemoryStore().read('x'),
    '[INVALID_ID] expected the id of a conversation, a UUID such as 01234567-89ab-4cde-8f01-23456789abcd, found "x", which is not a UUID',
  ],
  [
    () => (new MemoryStore() as unknown as Loose<MemoryStore>).open(id),
    'open: expected an object with the options …, found nothing',
  ],
  [() => new MemoryStore().list(wrong({ limit: 0 })), 'list: limit: expected 1 to 100, found 0'],
  [() => new MemoryStore().list(wrong({ cursor: 'x' })), 'list: there is no option "cursor"; the options are …'],
];
