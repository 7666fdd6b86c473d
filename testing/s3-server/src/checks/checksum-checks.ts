import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { bodyOf, createCheckClient, refusedWith, type S3Check } from './s3-check.ts';

/** Checks of checksums that come with a body. */
export const checksumChecks: readonly S3Check[] = [
  {
    name: 'a body with a wrong CRC32 is refused with 400',
    run: async ({ target, bucket }) => {
      const put = new PutObjectCommand({
        Bucket: bucket,
        Key: 'sum/crc',
        Body: 'hello',
        ChecksumCRC32: crcOf('other'),
      });
      await refusedWith([400], createCheckClient(target, { lazy: true }).send(put));
    },
  },
  {
    name: 'a CRC32 comes back with the object',
    run: async ({ client, bucket }) => {
      const place = { Bucket: bucket, Key: 'sum/kept' };
      await client.send(new PutObjectCommand({ ...place, Body: 'hello', ChecksumAlgorithm: 'CRC32' }));
      const got = await client.send(new GetObjectCommand({ ...place, ChecksumMode: 'ENABLED' }));
      await bodyOf(got);
      assert.equal(got.ChecksumCRC32, crcOf('hello'));
    },
  },
  {
    name: 'a body with a wrong MD5 is refused with 400',
    run: async ({ target, bucket }) => {
      const ContentMD5 = createHash('md5').update('other').digest('base64');
      const put = new PutObjectCommand({ Bucket: bucket, Key: 'sum/md5', Body: 'hello', ContentMD5 });
      await refusedWith([400], createCheckClient(target, { lazy: true }).send(put));
    },
  },
];

function crcOf(text: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(text));
  return bytes.toString('base64');
}
