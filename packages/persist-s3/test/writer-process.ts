import { S3Client } from '@aws-sdk/client-s3';
import { S3Store } from '../src/index.ts';
import { nameOf, Writer } from './writer.ts';

/** Appends to a conversation until it is killed, and prints each commit when it is acknowledged. */
const [endpoint = '', bucket = '', id = ''] = process.argv.slice(2);
const credentials = { accessKeyId: 'test', secretAccessKey: 'test1234' };
const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
const store = new S3Store({ client, bucket });
const writer = new Writer(id, await store.open(id, { create: 'never', owner: `process ${process.pid}` }));
for (;;) {
  const burst = [writer.say('x'.repeat(2000)), writer.say('y'), writer.say('z')];
  for (const commit of await Promise.all(burst)) {
    // a line that waits in this process is lost when it is killed
    await new Promise((resolve) => process.stdout.write(`${nameOf(commit)}\n`, resolve));
  }
}
