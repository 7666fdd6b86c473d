import { checkStore, copyStore } from '@conv/store-kit';
import { MemoryStore } from '@conv/core/store';
import { describe, expect, test } from 'vitest';
import { BUCKET, testBucket, type TestBucket } from './test-bucket.ts';
import { nameOf, readIds, Writer } from './writer.ts';

interface Deleted {
  readonly bucket: TestBucket;
  readonly writer: Writer;
  readonly key: string;
}

/** A conversation that was deleted after its owner had closed it, or under an owner that had stalled. */
async function deleted(owner: 'closed' | 'stalled'): Promise<Deleted> {
  let ahead = 0;
  const bucket = await testBucket({ now: () => Date.now() + ahead });
  const writer = await Writer.begin(bucket.store());
  await writer.say('text');
  if (owner === 'closed') await writer.journal.close();
  ahead += 60_000;
  await bucket.store().delete(writer.id);
  return { bucket, writer, key: `manifests/${writer.id.replaceAll('-', '')}.json` };
}

function flip(bytes: Buffer, at: number): Buffer {
  const flipped = Buffer.from(bytes);
  flipped.writeUInt8(flipped.readUInt8(at) ^ 4, at);
  return flipped;
}

describe.each([
  { owner: 'closed', late: 'CLOSED' },
  { owner: 'stalled', late: 'FENCED' },
] as const)('the tombstone of a conversation whose owner had $owner', ({ owner, late }) => {
  test('P4: a damaged tombstone is named wherever a byte of it is flipped, and a repair writes it again', async () => {
    const { bucket, key } = await deleted(owner);
    const whole = bucket.server.body(BUCKET, key);
    const mark = whole.indexOf('"deleted"');
    const inMark = Array.from({ length: 5 }, (_, step) => mark + 4 * step);
    const everywhere = Array.from({ length: Math.ceil(whole.length / 37) }, (_, step) => 37 * step);
    for (const at of [...inMark, ...everywhere]) {
      bucket.server.damage(BUCKET, key, () => flip(whole, at));
      const store = bucket.store();
      const named = await Array.fromAsync(checkStore(store));
      expect([at, named.flatMap(({ findings }) => findings)]).toMatchObject([
        at,
        [{ severity: 'lost', repaired: false }],
      ]);
      const repaired = await Array.fromAsync(checkStore(store, { repair: true }));
      expect([at, repaired.flatMap(({ findings }) => findings)]).toMatchObject([
        at,
        [{ part: 'manifest', severity: 'damaged', repaired: true }],
      ]);
      expect(await Array.fromAsync(checkStore(store))).toMatchObject([{ findings: [] }]);
      expect((await store.list()).items).toEqual([]);
      expect(JSON.parse(bucket.server.body(BUCKET, key).toString())).toMatchObject({ deleted: 'removed', packs: [] });
    }
  });

  test('P2: fences former owners after a repair, and the id can be used again', async () => {
    const { bucket, key, writer } = await deleted(owner);
    bucket.server.damage(BUCKET, key, (bytes) => flip(bytes, 30));
    await bucket.store().check(writer.id, { repair: true });
    await expect(writer.say('late')).rejects.toMatchObject({ code: late });
    const again = await Writer.begin(bucket.store(), writer.id);
    await again.say('again');
    expect(again.journal.epoch).toBeGreaterThan(writer.journal.epoch);
    expect(await readIds(again.journal)).toEqual(again.acknowledged.map(nameOf));
    await again.journal.close();
    await bucket.store().delete(writer.id);
    expect((await bucket.store().list()).items).toEqual([]);
  });
});

test('P4: a copy of a store has no error for a tombstone that was repaired', async () => {
  const { bucket, key, writer } = await deleted('closed');
  bucket.server.damage(BUCKET, key, (bytes) => flip(bytes, 40));
  expect(await Array.fromAsync(copyStore(bucket.store(), new MemoryStore()))).toMatchObject([
    { error: { code: 'CORRUPT' } },
  ]);
  await bucket.store().check(writer.id, { repair: true });
  expect(await Array.fromAsync(copyStore(bucket.store(), new MemoryStore()))).toEqual([]);
});

test('P4: a repair restores a conversation with commits, whatever its title says', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  await writer.append({ id: crypto.randomUUID(), events: [], patch: { set: { title: '"deleted":"removed"' } } });
  await writer.journal.close();
  const key = `manifests/${writer.id.replaceAll('-', '')}.json`;
  bucket.server.damage(BUCKET, key, (bytes) => flip(bytes, 40));
  const store = bucket.store();
  expect(await store.check(writer.id, { repair: true })).toMatchObject({
    findings: [{ part: 'manifest', repaired: true }],
  });
  expect((await store.list()).items.map(({ id }) => id)).toEqual([writer.id]);
});
