import assert from 'node:assert/strict';
import {
  GetObjectCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3ServiceException,
  type PutObjectCommandOutput,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { bodyOf, createCheckClient, refusedWith, type S3Check, type S3CheckBench } from './s3-check.ts';

/** Checks of access rights, and of features that a server may leave out. */
export const accessChecks: readonly S3Check[] = [
  {
    name: 'a presigned URL gets an object',
    run: async (bench) => {
      await put(bench, 'get', 'presigned');
      const answer = await fetch(await urlToGet(bench, 'get'));
      assert.deepEqual([answer.status, await answer.text()], [200, 'presigned']);
    },
  },
  {
    name: 'a presigned URL puts an object',
    run: async ({ client, bucket }) => {
      const place = { Bucket: bucket, Key: 'access/put' };
      const url = await getSignedUrl(client, new PutObjectCommand(place), { expiresIn: 60 });
      assert.equal((await fetch(url, { method: 'PUT', body: 'by url' })).status, 200);
      assert.equal((await bodyOf(await client.send(new GetObjectCommand(place)))).toString(), 'by url');
    },
  },
  {
    name: 'a presigned URL that was changed is refused with 403',
    run: async (bench) => {
      await put(bench, 'mine', 'mine');
      await put(bench, 'other', 'other');
      const url = await urlToGet(bench, 'mine');
      assert.equal((await fetch(url.replace('/access/mine?', '/access/other?'))).status, 403);
    },
  },
  {
    name: 'a wrong secret is refused with 403',
    run: async (bench) => {
      await put(bench, 'secret', 'x');
      const stranger = createCheckClient(bench.target, { secretAccessKey: 'not the secret' });
      const get = new GetObjectCommand({ Bucket: bench.bucket, Key: 'access/secret' });
      await refusedWith([403], stranger.send(get));
    },
  },
  {
    name: 'versions are kept, or asking for them is refused with 501',
    run: async (bench) => {
      const versioning = (Status: 'Enabled' | 'Suspended') =>
        bench.client.send(
          new PutBucketVersioningCommand({ Bucket: bench.bucket, VersioningConfiguration: { Status } }),
        );
      const refusal: unknown = await versioning('Enabled').then(
        () => undefined,
        (error: unknown) => error,
      );
      if (refusal instanceof S3ServiceException && refusal.$metadata.httpStatusCode === 501) return;
      assert.equal(refusal, undefined);
      const { VersionId } = await put(bench, 'version', '1');
      await put(bench, 'version', '2');
      const old = { Bucket: bench.bucket, Key: 'access/version', VersionId };
      assert.equal((await bodyOf(await bench.client.send(new GetObjectCommand(old)))).toString(), '1');
      await versioning('Suspended');
    },
  },
];

function put({ client, bucket }: S3CheckBench, name: string, body: string): Promise<PutObjectCommandOutput> {
  return client.send(new PutObjectCommand({ Bucket: bucket, Key: `access/${name}`, Body: body }));
}

function urlToGet({ client, bucket }: S3CheckBench, name: string): Promise<string> {
  return getSignedUrl(client, new GetObjectCommand({ Bucket: bucket, Key: `access/${name}` }), { expiresIn: 60 });
}
