import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, DeleteObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { applicableCases, storeConformance, type StoreUnderTest } from '@conv/conformance';
import { inCi } from '@conv/testing-harness';
import { chosenServer } from '@conv/testing-s3-server/moto';
import { S3Store } from '../src/index.ts';

/** Runs the store suite against a server other than that of the tests: moto, or the server at an endpoint. */
const { moto, endpoint, region, accessKeyId, secretAccessKey } = await chosenServer();
const credentials = { accessKeyId, secretAccessKey };
const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials });
const bucket = `conv-suite-${Date.now().toString(36)}`;
await client.send(new CreateBucketCommand({ Bucket: bucket }));

/** Makes a store with its own prefix. `takeOver` removes the heartbeat objects, so that the owner counts as stalled. */
async function make(): Promise<StoreUnderTest> {
  const prefix = `${randomUUID()}/`;
  const stores: S3Store[] = [];
  const another = (): S3Store => {
    const store = new S3Store({ client, bucket, prefix, poll: 50 });
    stores.push(store);
    return store;
  };
  return {
    store: another(),
    again: async () => another(),
    takeOver: async (id) => {
      const signs = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: `${prefix}servers/` }));
      for (const { Key } of signs.Contents ?? []) await client.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
      return another().open(id, { create: 'never', owner: 'successor' });
    },
    dispose: async () => {
      await Promise.all(stores.map((store) => store.close()));
    },
  };
}

const features = { ...new S3Store({ client, bucket }).features, takeOver: true };
/** CI runs every fifth case here: its tests run all of them on their own server, and moto is to agree about single requests. */
const cases = inCi(applicableCases(storeConformance, features), 5);
let passed = 0;
for (const { name, run } of cases) {
  try {
    await run({ make, waitTimeout: 60_000 });
    passed++;
  } catch (error) {
    process.stdout.write(`FAIL  ${name}\n      ${error instanceof Error ? error.message : String(error)}\n`);
  }
}
const server = moto?.name ?? endpoint;
process.stdout.write(`${JSON.stringify({ store: 's3', server, cases: cases.length, passed })}\n`);
client.destroy();
await moto?.stop();
process.exitCode = passed === cases.length ? 0 : 1;
