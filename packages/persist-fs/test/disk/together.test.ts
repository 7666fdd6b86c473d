import { expect, test } from 'vitest';
import { together } from '../../src/disk/together.ts';

test('flushes that were begun together are awaited to the last one, and then the first failure is thrown', async () => {
  const slow = Promise.withResolvers<void>();
  let hasEnded = false;
  const failed = together([Promise.reject(new Error('EIO')), slow.promise]).finally(() => (hasEnded = true));
  failed.catch(() => {});
  await Promise.resolve();
  expect(hasEnded).toBe(false);
  slow.resolve();
  await expect(failed).rejects.toThrow('EIO');
});
