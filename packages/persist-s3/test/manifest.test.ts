import { Author } from '@conv/testing-harness';
import { expect, test } from 'vitest';
import { BUCKET, testBucket } from './test-bucket.ts';

test('a manifest that another store has written again has one check value', async () => {
  const bucket = await testBucket();
  const { author, journal } = await Author.open(bucket.store());
  await journal.close();
  await (await bucket.store().open(author.id, { owner: 'next' })).close();
  const [key] = bucket.server.keys(BUCKET).filter((name) => name.startsWith('manifests/'));
  const text = bucket.server.body(BUCKET, key as string).toString();
  expect(text.match(/"check":/g)).toHaveLength(1);
});
