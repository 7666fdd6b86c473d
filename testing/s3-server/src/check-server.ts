import { createCheckClient, s3Checks, type S3CheckBench, type S3CheckTarget } from './checks/index.ts';
import { chosenServer } from './moto.ts';

const { moto, ...server } = await chosenServer();
const target: S3CheckTarget = { ...server, bucket: `conv-check-${Date.now().toString(36)}` };
const client = createCheckClient(target);
const bench: S3CheckBench = { target, client, bucket: target.bucket };
const known = moto?.differs ?? new Set<string>();
const failed: string[] = [];
for (const { name, run } of s3Checks) {
  try {
    await run(bench);
    process.stdout.write(`ok    ${name}\n`);
  } catch (error) {
    failed.push(name);
    const message = error instanceof Error ? error.message : String(error);
    process.stdout.write(known.has(name) ? `known ${name}\n` : `FAIL  ${name}\n      ${message}\n`);
  }
}
const news = [
  ...failed.filter((name) => !known.has(name)).map((name) => `fails: ${name}`),
  ...[...known].filter((name) => !failed.includes(name)).map((name) => `does not fail any more: ${name}`),
];
const passed = s3Checks.length - failed.length;
process.stdout.write(`${passed} of ${s3Checks.length} checks pass on ${moto?.name ?? target.endpoint}`);
process.stdout.write(known.size > 0 ? `, ${known.size} are known to fail\n` : '\n');
for (const line of news) process.stdout.write(`${line}\n`);
client.destroy();
await moto?.stop();
process.exitCode = news.length === 0 ? 0 : 1;
