import { dropBefore } from '@conv/testing-s3-server';
import { expect, test } from 'vitest';
import { BUCKET, testBucket } from './test-bucket.ts';
import { TestClock } from './test-clock.ts';
import { nameOf, readIds, Writer } from './writer.ts';

test('deleting a conversation leaves a tombstone and marks of its changes, and nothing else', async () => {
  const bucket = await testBucket();
  const store = bucket.store();
  const writer = await Writer.begin(store);
  for (let at = 0; at < 60; at++) await writer.say('text');
  await writer.journal.saveSnapshot({ seq: writer.journal.end.seq, version: 1, data: {} });
  await writer.journal.close();
  await store.delete(writer.id);
  const manifest = `manifests/${writer.id.replaceAll('-', '')}.json`;
  expect(bucket.server.keys(BUCKET).filter((key) => !/^(servers|changes)\//.test(key))).toEqual([manifest]);
  expect(JSON.parse(bucket.server.body(BUCKET, manifest).toString())).toMatchObject({ deleted: 'removed', packs: [] });
});

test('P2: deleting the conversation of a stalled owner leaves the slot that fences the owner', async () => {
  let ahead = 0;
  const bucket = await testBucket({ now: () => Date.now() + ahead });
  const writer = await Writer.begin(bucket.store());
  for (let at = 0; at < 5; at++) await writer.say('text');
  ahead += 60_000;
  await bucket.store().delete(writer.id);
  const slots = bucket.server.keys(BUCKET).filter((key) => key.includes('/slot-'));
  expect(slots.map((key) => Number(key.slice(-10)))).toEqual([7]);
  await expect(writer.say('late')).rejects.toMatchObject({ code: 'FENCED' });
  const again = await Writer.begin(bucket.store(), writer.id);
  await again.say('anew');
  expect(again.journal.epoch).toBeGreaterThan(writer.journal.epoch);
  expect(await readIds(again.journal)).toEqual(again.acknowledged.map(nameOf));
});

test('an interrupted deletion is completed by the next one, or by making the conversation again', async () => {
  for (const next of ['delete', 'open'] as const) {
    for (let at = 0; at < 12; at++) {
      const bucket = await testBucket();
      const writer = await Writer.begin(bucket.store());
      await writer.say('text');
      await writer.journal.close();
      const store = bucket.store({ platform: new TestClock() });
      await store.list();
      let count = 0;
      bucket.server.faults = () => (count++ >= at ? dropBefore() : undefined);
      const broken = await store.delete(writer.id).then(
        () => false,
        () => true,
      );
      bucket.server.faults = undefined;
      if (next === 'delete') await store.delete(writer.id);
      else if (broken) await store.delete(writer.id);
      const again = await Writer.begin(store, writer.id);
      expect(await readIds(again.journal)).toEqual(again.acknowledged.map(nameOf));
      const logs = new Set(
        bucket.server
          .keys(BUCKET)
          .filter((key) => key.startsWith('logs/'))
          .map((key) => key.split('/')[2]),
      );
      expect(logs.size).toBe(1);
    }
  }
});

test('P13: readers and watches of a conversation that is deleted meanwhile reject NOT_FOUND', async () => {
  const bucket = await testBucket();
  const store = bucket.store();
  const writer = await Writer.begin(store);
  await writer.journal.close();
  const reader = await bucket.store().read(writer.id);
  const watching = (async () => {
    for await (const { seq } of reader?.watch(0 as never, new AbortController().signal) ?? []) {
      expect(seq).toBe(0);
      await store.delete(writer.id);
    }
  })();
  await expect(watching).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(reader?.refresh()).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
