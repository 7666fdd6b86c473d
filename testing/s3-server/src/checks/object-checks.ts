import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  CreateBucketCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { bodyOf, refusedWith, type S3Check } from './s3-check.ts';

const DIGITS = '0123456789';
const ODD_KEYS = ['a b', 'a+b', 'a%20b', 'a&b=c', 'ü', 'a(b)!'];

/** Makes the bucket that all other checks use: run it first. */
export const createBucketCheck: S3Check = {
  name: 'a bucket can be made',
  run: async ({ client, bucket }) => {
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
  },
};

/** Objects and their reading. */
export const objectChecks: readonly S3Check[] = [
  {
    name: 'an object from a buffer reads back, and its tag is given',
    run: async ({ client, bucket }) => {
      const body = randomBytes(3000);
      const put = await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'object/buffer', Body: body }));
      assert.ok(put.ETag);
      const got = await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'object/buffer' }));
      assert.ok((await bodyOf(got)).equals(body));
    },
  },
  {
    name: 'an object from a stream reads back without the framing it was sent in',
    run: async ({ client, bucket }) => {
      const body = randomBytes(200_000);
      const stream = Readable.from([body.subarray(0, 70_000), body.subarray(70_000)]);
      const place = { Bucket: bucket, Key: 'object/stream' };
      await client.send(new PutObjectCommand({ ...place, Body: stream, ContentLength: body.length }));
      const stored = await bodyOf(await client.send(new GetObjectCommand(place)));
      assert.equal(stored.length, body.length);
      assert.ok(stored.equals(body));
    },
  },
  {
    name: 'a range gives the bytes from one place to another',
    run: async ({ client, bucket }) => {
      const place = { Bucket: bucket, Key: 'object/range' };
      await client.send(new PutObjectCommand({ ...place, Body: DIGITS }));
      const got = await client.send(new GetObjectCommand({ ...place, Range: 'bytes=2-5' }));
      assert.equal((await bodyOf(got)).toString(), '2345');
    },
  },
  {
    name: 'a suffix range gives the last bytes',
    run: async ({ client, bucket }) => {
      const place = { Bucket: bucket, Key: 'object/suffix' };
      await client.send(new PutObjectCommand({ ...place, Body: DIGITS }));
      const got = await client.send(new GetObjectCommand({ ...place, Range: 'bytes=-3' }));
      assert.equal((await bodyOf(got)).toString(), '789');
    },
  },
  {
    name: 'a head gives length, type and the own metadata',
    run: async ({ client, bucket }) => {
      const place = { Bucket: bucket, Key: 'object/metadata' };
      const type = 'application/json';
      await client.send(new PutObjectCommand({ ...place, Body: 'x', Metadata: { epoch: '7' }, ContentType: type }));
      const head = await client.send(new HeadObjectCommand(place));
      assert.deepEqual([head.ContentLength, head.Metadata?.['epoch'], head.ContentType], [1, '7', type]);
    },
  },
  {
    name: 'getting a key that is not there is refused with 404 NoSuchKey',
    run: async ({ client, bucket }) => {
      const getting = client.send(new GetObjectCommand({ Bucket: bucket, Key: 'object/missing' }));
      await assert.rejects(getting, NoSuchKey);
    },
  },
  {
    name: 'a head of a key that is not there is refused with 404',
    run: ({ client, bucket }) =>
      refusedWith([404], client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'object/missing' }))),
  },
  {
    name: 'getting what has not changed since is answered 304',
    run: async ({ client, bucket }) => {
      const place = { Bucket: bucket, Key: 'object/unchanged' };
      const { ETag } = await client.send(new PutObjectCommand({ ...place, Body: DIGITS }));
      await refusedWith([304], client.send(new GetObjectCommand({ ...place, IfNoneMatch: ETag })));
    },
  },
  {
    name: 'keys with spaces, pluses, percent signs, ampersands, umlauts and brackets name what they name',
    run: async ({ client, bucket }) => {
      for (const name of ODD_KEYS) {
        const place = { Bucket: bucket, Key: `odd/${name}` };
        await client.send(new PutObjectCommand({ ...place, Body: name }));
        assert.equal((await bodyOf(await client.send(new GetObjectCommand(place)))).toString(), name);
      }
      const listed = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: 'odd/' }));
      assert.deepEqual(listed.Contents?.map(({ Key }) => Key).sort(), ODD_KEYS.map((name) => `odd/${name}`).sort());
    },
  },
  {
    name: 'an object can be copied',
    run: async ({ client, bucket }) => {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'object/source', Body: DIGITS }));
      const CopySource = `${bucket}/object/source`;
      await client.send(new CopyObjectCommand({ Bucket: bucket, Key: 'object/copy', CopySource }));
      const got = await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'object/copy' }));
      assert.equal((await bodyOf(got)).toString(), DIGITS);
    },
  },
  {
    name: 'under 32 writers at once every object reads back as it was put',
    run: async ({ client, bucket }) => {
      const numbers = Array.from({ length: 192 }, (_, at) => at).values();
      const work = async (): Promise<void> => {
        for (const number of numbers) {
          const place = { Bucket: bucket, Key: `busy/${number}` };
          const body = `${number} `.repeat(800);
          await client.send(new PutObjectCommand({ ...place, Body: body }));
          assert.equal((await bodyOf(await client.send(new GetObjectCommand(place)))).toString(), body);
        }
      };
      await Promise.all(Array.from({ length: 32 }, work));
    },
  },
];
