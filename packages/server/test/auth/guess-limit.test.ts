import { systemPlatform } from '@conv/core/platform';
import { ManualPlatform } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { GuessLimit } from '../../src/auth/guess-limit.ts';
import { startServer } from '../support/test-server.ts';

/** An address that has shown so many different wrong keys. */
function guessing(address: string, times: number): { limit: GuessLimit; pass: (milliseconds: number) => void } {
  const platform = new ManualPlatform();
  const limit = new GuessLimit(platform);
  for (let index = 0; index < times; index++) limit.wrong(address, `wrong ${index}`);
  return { limit, pass: (milliseconds) => platform.pass(milliseconds) };
}

test('an address waits behind twenty different wrong keys, longer each time, and others do not', () => {
  const { limit, pass } = guessing('10.0.0.9', 19);
  expect(limit.wait('10.0.0.9')).toBe(0);
  limit.wrong('10.0.0.9', 'another');
  expect(limit.wait('10.0.0.9')).toBe(1);
  expect(limit.wait('10.0.0.8')).toBe(0);
  pass(1000);
  expect(limit.wait('10.0.0.9')).toBe(0);
  for (let index = 0; index < 10; index++) limit.wrong('10.0.0.9', `more ${index}`);
  expect(limit.wait('10.0.0.9')).toBe(60);
  limit.right('10.0.0.9');
  expect(limit.wait('10.0.0.9')).toBe(0);
});

test('a client that repeats one wrong key does not wait, and guesses of this machine wait a second at most', () => {
  const { limit } = guessing('10.0.0.9', 5);
  for (let index = 0; index < 1000; index++) limit.wrong('10.0.0.9', 'wrong 3');
  expect(limit.wait('10.0.0.9')).toBe(0);
  expect(guessing('127.0.0.1', 1000).limit.wait('127.0.0.1')).toBe(1);
});

test('the right key is not looked at behind too many wrong keys, and the answer says how long', async () => {
  // the wait is a second, which a busy machine may need for the next request
  const platform = { ...systemPlatform, monotonic: () => 0 };
  const server = await startServer({ sessionKeys: ['the-right-key'], platform });
  const ask = (key: string): ReturnType<typeof server.call> =>
    server.call('GET', '/api/conversations/search', undefined, { 'x-session-api-key': key });
  for (let index = 0; index < 20; index++) expect((await ask(`wrong ${index}`)).status).toBe(401);
  const refused = await ask('the-right-key');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
});
