import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { registryConformance, type RegistryUnderTest } from '@conv/conformance';
import { refuse } from '@conv/testing-s3-server';
import { expect, test } from 'vitest';
import { S3Registry } from '../src/index.ts';
import { BUCKET, openBucket, testBucket } from './test-bucket.ts';

async function make(): Promise<RegistryUnderTest> {
  const bucket = await openBucket();
  const another = (): S3Registry => new S3Registry({ client: bucket.client, bucket: BUCKET, prefix: 'some/' });
  return { registry: another(), again: async () => another(), dispose: () => bucket.dispose() };
}

test('P4: a damaged object and the object of a folder hide no other record', async () => {
  const bucket = await testBucket();
  const registry = new S3Registry({ client: bucket.client, bucket: BUCKET });
  const Bucket = BUCKET;
  for (const name of ['ann', 'bob']) await registry.put('keys', name, { own_only: 1 }, { expected: null });
  const Key = `registry/keys/${Buffer.from('ann').toString('hex')}`;
  const { Body } = await bucket.client.send(new GetObjectCommand({ Bucket, Key }));
  const changed = ((await Body?.transformToString()) ?? '').replace('"own_only":1', '"own_only":0');
  await bucket.client.send(new PutObjectCommand({ Bucket, Key, Body: changed }));
  await bucket.client.send(new PutObjectCommand({ Bucket, Key: 'registry/keys/', Body: '' }));
  const { items, damaged } = await registry.list('keys');
  expect(items.map(({ name }) => name)).toEqual(['bob']);
  expect(damaged.map(String)).toEqual([expect.stringContaining('[DAMAGED] keys/ann: the object')]);
  await expect(registry.get('keys', 'ann')).rejects.toThrow('DAMAGED');
});

test('P4: a registry changes records after the first requests of a change were refused', async () => {
  const { server, client } = await testBucket();
  const registry = new S3Registry({ client, bucket: BUCKET });
  server.faults = () => refuse(403, 'AccessDenied');
  await expect(registry.put('keys', 'ann', 1, { expected: null })).rejects.toThrow('AccessDenied');
  server.faults = undefined;
  await registry.put('keys', 'ann', 2, { expected: null });
  expect((await registry.get('keys', 'ann'))?.value).toBe(2);
});

for (const { name, run } of registryConformance) test(name, () => run({ make }));
