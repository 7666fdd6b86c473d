import { MemoryStore, StoreError } from '@conv/core/store';
import { ManualPlatform } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { Readiness } from '../../src/http/readiness.ts';
import { startServer } from '../support/test-server.ts';

test('a server is not ready while its store refuses everything, and says so', async () => {
  const store = new MemoryStore();
  let refuses = true;
  const read = store.read.bind(store);
  store.read = async (id) => {
    if (refuses) throw new StoreError('UNAVAILABLE', 'too many connections');
    return read(id);
  };
  const server = await startServer({ store });
  const { status, body } = await server.call('GET', '/ready');
  expect([status, body]).toEqual([503, { status: 'unavailable', message: 'the store does not answer' }]);
  expect((await server.call('GET', '/alive')).status).toBe(200);
  refuses = false;
  await expect.poll(async () => (await server.call('GET', '/ready')).status).toBe(200);
});

test('the store is asked once for all questions of two seconds, and a silent store is not ready', async () => {
  const platform = new ManualPlatform();
  let asked = 0;
  let answers = true;
  const silent = Promise.withResolvers<undefined>();
  const readiness = new Readiness(
    { read: () => (asked++, answers ? Promise.resolve(undefined) : silent.promise) },
    platform,
  );
  expect(await Promise.all([readiness.isReady(), readiness.isReady()])).toEqual([true, true]);
  expect(await readiness.isReady()).toBe(true);
  expect(asked).toBe(1);
  platform.pass(2000);
  answers = false;
  const late = readiness.isReady();
  platform.pass(5000);
  expect(await late).toBe(false);
  expect(asked).toBe(2);
  expect(platform.waits).toEqual([]);
});
