import assert from 'node:assert/strict';
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type ListObjectsV2CommandInput,
} from '@aws-sdk/client-s3';
import { refusedWith, type S3Check, type S3CheckBench } from './s3-check.ts';

/** Listing and deleting. */
export const listingChecks: readonly S3Check[] = [
  {
    name: 'a list has the keys of a prefix in order, in pages joined by tokens',
    run: async (bench) => {
      const keys = await numbered(bench, 'pages/', 25);
      assert.deepEqual(await allKeys(bench, { Prefix: 'pages/', MaxKeys: 10 }), keys);
    },
  },
  {
    name: 'StartAfter leaves out what comes before',
    run: async (bench) => {
      const keys = await numbered(bench, 'after/', 25);
      const found = await allKeys(bench, { Prefix: 'after/', StartAfter: 'after/00019' });
      assert.deepEqual(found, keys.slice(20));
    },
  },
  {
    name: 'StartAfter may be a key that does not exist',
    run: async (bench) => {
      const keys = await numbered(bench, 'between/', 25);
      const page = await list(bench, { Prefix: 'between/', StartAfter: 'between/00019x', MaxKeys: 2 });
      assert.deepEqual(page.keys, keys.slice(20, 22));
    },
  },
  {
    name: 'StartAfter holds over pages',
    run: async (bench) => {
      const keys = await numbered(bench, 'paged/', 25);
      const found = await allKeys(bench, { Prefix: 'paged/', StartAfter: 'paged/00009', MaxKeys: 4 });
      assert.deepEqual(found, keys.slice(10));
    },
  },
  {
    name: 'a delimiter rolls keys up to what they have in common',
    run: async (bench) => {
      for (const name of ['x/1', 'x/2', 'y/1', 'z']) await put(bench, `rolled/${name}`);
      const page = await list(bench, { Prefix: 'rolled/', Delimiter: '/' });
      assert.deepEqual(page, { keys: ['rolled/z'], prefixes: ['rolled/x/', 'rolled/y/'], next: undefined });
    },
  },
  {
    name: 'keys are in the order of their UTF-8 bytes',
    run: async (bench) => {
      const keys = ['B', 'a', 'a-b', 'a/b', 'a.c', 'é', '￼', '😀'].map((name) => `order/${name}`);
      await Promise.all(keys.map((key) => put(bench, key)));
      const sorted = keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      assert.deepEqual((await list(bench, { Prefix: 'order/' })).keys, sorted);
    },
  },
  {
    name: 'a list sees 64 objects that were put at once',
    run: async (bench) => {
      const keys = Array.from({ length: 64 }, (_, at) => `parallel/${at}`);
      await Promise.all(keys.map((key) => put(bench, key)));
      assert.equal((await list(bench, { Prefix: 'parallel/' })).keys.length, 64);
    },
  },
  {
    name: 'a deleted object is gone, and deleting it again is no error',
    run: async (bench) => {
      const { client, bucket } = bench;
      const place = { Bucket: bucket, Key: 'deleted/one' };
      await put(bench, place.Key);
      await client.send(new DeleteObjectCommand(place));
      await client.send(new DeleteObjectCommand(place));
      await refusedWith([404], client.send(new HeadObjectCommand(place)));
    },
  },
  {
    name: '1000 objects can be deleted by one request',
    run: async (bench) => {
      const keys = Array.from({ length: 1000 }, (_, at) => `batch/${at}`);
      const left = keys.values();
      await Promise.all(
        Array.from({ length: 32 }, async () => {
          for (const key of left) await put(bench, key);
        }),
      );
      const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true };
      const { Errors } = await bench.client.send(new DeleteObjectsCommand({ Bucket: bench.bucket, Delete }));
      assert.deepEqual(Errors ?? [], []);
      assert.deepEqual((await list(bench, { Prefix: 'batch/' })).keys, []);
    },
  },
];

async function put({ client, bucket }: S3CheckBench, key: string): Promise<void> {
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: key }));
}

async function numbered(bench: S3CheckBench, prefix: string, count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, (_, at) => prefix + String(at).padStart(5, '0'));
  await Promise.all(keys.map((key) => put(bench, key)));
  return keys;
}

interface Listed {
  readonly keys: string[];
  readonly prefixes: string[];
  readonly next: string | undefined;
}

async function list(
  { client, bucket }: S3CheckBench,
  input: Omit<ListObjectsV2CommandInput, 'Bucket'>,
): Promise<Listed> {
  const page = await client.send(new ListObjectsV2Command({ Bucket: bucket, ...input }));
  const keys = (page.Contents ?? []).map(({ Key }) => Key ?? '');
  const prefixes = (page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix ?? '');
  assert.equal(page.IsTruncated ?? false, page.NextContinuationToken !== undefined, 'a cut list has a token');
  return { keys, prefixes, next: page.NextContinuationToken };
}

async function allKeys(bench: S3CheckBench, input: Omit<ListObjectsV2CommandInput, 'Bucket'>): Promise<string[]> {
  const found: string[] = [];
  let page = await list(bench, input);
  for (let count = 0; ; count++) {
    found.push(...page.keys);
    if (page.next === undefined) return found;
    assert.ok(count < 20, 'the pages come to an end');
    page = await list(bench, { ...input, ContinuationToken: page.next });
  }
}
