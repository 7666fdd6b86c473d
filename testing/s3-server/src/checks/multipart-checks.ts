import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
  type CompletedPart,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { bodyOf, refusedWith, type S3Check, type S3CheckBench } from './s3-check.ts';

const MIB = 1024 * 1024;

/** Objects that arrive in parts. */
export const multipartChecks: readonly S3Check[] = [
  {
    name: 'two parts become one object',
    run: async (bench) => {
      const { client } = bench;
      const parts = [randomBytes(5 * MIB), randomBytes(1000)];
      const { place, uploaded } = await begun(bench, 'two', parts);
      await client.send(new CompleteMultipartUploadCommand({ ...place, MultipartUpload: { Parts: uploaded } }));
      const { Bucket, Key } = place;
      const got = await bodyOf(await client.send(new GetObjectCommand({ Bucket, Key })));
      assert.ok(got.equals(Buffer.concat(parts)));
    },
  },
  {
    name: 'a stream of 12 MiB uploaded in parts by the SDK reads back',
    run: async ({ client, bucket }) => {
      const body = randomBytes(12 * MIB);
      const place = { Bucket: bucket, Key: 'parts/stream' };
      await new Upload({ client, params: { ...place, Body: Readable.from([body]) }, partSize: 5 * MIB }).done();
      assert.ok((await bodyOf(await client.send(new GetObjectCommand(place)))).equals(body));
    },
  },
  {
    name: 'completing with If-None-Match: * over what is there is refused with 412',
    run: async (bench) => {
      const { client, bucket } = bench;
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'parts/there', Body: 'there' }));
      const { place, uploaded } = await begun(bench, 'there', [Buffer.from('x')]);
      const complete = { ...place, IfNoneMatch: '*', MultipartUpload: { Parts: uploaded } };
      await refusedWith([412], client.send(new CompleteMultipartUploadCommand(complete)));
    },
  },
  {
    name: 'an upload that was given up leaves nothing',
    run: async (bench) => {
      const { place } = await begun(bench, 'aborted', [Buffer.from('x')]);
      await bench.client.send(new AbortMultipartUploadCommand(place));
      const { Bucket, Key } = place;
      await refusedWith([404], bench.client.send(new HeadObjectCommand({ Bucket, Key })));
    },
  },
];

interface Begun {
  readonly place: { readonly Bucket: string; readonly Key: string; readonly UploadId: string };
  readonly uploaded: CompletedPart[];
}

/** An upload whose parts have arrived. */
async function begun({ client, bucket }: S3CheckBench, name: string, parts: readonly Buffer[]): Promise<Begun> {
  const Key = `parts/${name}`;
  const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key }));
  const place = { Bucket: bucket, Key, UploadId };
  const uploaded: CompletedPart[] = [];
  for (const [at, Body] of parts.entries()) {
    const PartNumber = at + 1;
    const { ETag, ChecksumCRC32 } = await client.send(new UploadPartCommand({ ...place, PartNumber, Body }));
    uploaded.push({ ETag, ChecksumCRC32, PartNumber });
  }
  return { place, uploaded };
}
