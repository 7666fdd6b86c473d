import { registryConformance, type RegistryUnderTest } from '@conv/conformance';
import { test } from 'vitest';
import { S3Registry } from '../src/index.ts';
import { BUCKET, openBucket } from './test-bucket.ts';

async function make(): Promise<RegistryUnderTest> {
  const bucket = await openBucket();
  const another = (): S3Registry => new S3Registry({ client: bucket.client, bucket: BUCKET, prefix: 'some/' });
  return { registry: another(), again: async () => another(), dispose: () => bucket.dispose() };
}

for (const { name, run } of registryConformance) test(name, () => run({ make }));
