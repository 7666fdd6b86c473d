import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCheckClient, s3Checks, type S3CheckBench } from '../src/checks/index.ts';
import { createS3Server, type S3Server } from '../src/index.ts';

let server: S3Server;
let bench: S3CheckBench;

beforeAll(async () => {
  server = await createS3Server();
  const target = { endpoint: server.url, accessKeyId: 'test', secretAccessKey: 'test1234', bucket: 'checked' };
  bench = { target, client: createCheckClient(target), bucket: target.bucket };
});

afterAll(async () => {
  bench.client.destroy();
  await server.close();
});

/** The process of this package passes the same checks in `main.long.test.ts`, so CI tries every third here, and others each day. */
const turn = process.env['CONV_CI'];
const every = turn === undefined ? 1 : 3;

// the first one makes the bucket
for (const { name, run } of s3Checks.filter((_, at) => at === 0 || at % every === Number(turn ?? 0) % every))
  test(name, () => run(bench), 60_000);

test('the list has 42 checks', () => {
  expect(new Set(s3Checks.map(({ name }) => name)).size).toBe(42);
});
