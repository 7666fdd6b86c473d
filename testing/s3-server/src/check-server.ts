import { parseArgs } from 'node:util';
import { createCheckClient, s3Checks, type S3CheckBench, type S3CheckTarget } from './checks/index.ts';
import { startMoto } from './moto.ts';

const { values } = parseArgs({
  options: {
    endpoint: { type: 'string' },
    'access-key-id': { type: 'string', default: 'test' },
    'secret-access-key': { type: 'string', default: 'test1234' },
    region: { type: 'string', default: 'us-east-1' },
  },
});

/** Without an endpoint, moto is installed into a cache and started. */
const moto = values.endpoint === undefined ? await startMoto() : undefined;
const target: S3CheckTarget = {
  endpoint: values.endpoint ?? moto?.endpoint ?? '',
  accessKeyId: values['access-key-id'],
  secretAccessKey: values['secret-access-key'],
  region: values.region,
  bucket: `conv-check-${Date.now().toString(36)}`,
};
const client = createCheckClient(target);
const bench: S3CheckBench = { target, client, bucket: target.bucket };
let passed = 0;
for (const { name, run } of s3Checks) {
  try {
    await run(bench);
    passed++;
    process.stdout.write(`ok    ${name}\n`);
  } catch (error) {
    process.stdout.write(`FAIL  ${name}\n      ${error instanceof Error ? error.message : String(error)}\n`);
  }
}
process.stdout.write(`${passed} of ${s3Checks.length} checks pass on ${moto?.name ?? target.endpoint}\n`);
client.destroy();
await moto?.stop();
process.exitCode = passed === s3Checks.length ? 0 : 1;
