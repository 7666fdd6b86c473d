import { randomUUID } from 'node:crypto';
import { projections } from '@conv/core';
import type { JournalReader } from '@conv/core/store';
import { hold } from '@conv/testing-s3-server';
import { expect, test } from 'vitest';
import { BUCKET, testBucket, type TestBucket } from './test-bucket.ts';
import { TestClock } from './test-clock.ts';
import { nameOf, readIds, Writer } from './writer.ts';

function keysWith({ server }: TestBucket, part: string): string[] {
  return server.keys(BUCKET).filter((key) => key.includes(part));
}

async function reading(bucket: TestBucket, id: string): Promise<JournalReader> {
  const reader = await bucket.store().read(id);
  if (!reader) throw new Error('it is not there');
  return reader;
}

function lostOf({ damage }: JournalReader): readonly number[] {
  return damage.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, step) => from + step));
}

/** Makes a conversation whose owner was killed after its last commit and one more heartbeat. */
async function killed(): Promise<{ bucket: TestBucket; writer: Writer; passTime: () => void }> {
  const clock = new TestClock();
  const bucket = await testBucket({ now: () => clock.now() });
  const writer = await Writer.begin(bucket.store({ platform: clock }));
  for (let at = 0; at < 5; at++) await writer.say('text');
  const signs = (): number => bucket.server.requests.filter(({ key }) => key.startsWith('servers/')).length;
  const before = signs();
  clock.advance(5100);
  await expect.poll(signs).toBeGreaterThan(before);
  return { bucket, writer, passTime: () => clock.advance(60_000) };
}

test('P4: missing newest slots of a killed owner are named, because its heartbeat recorded them', async () => {
  const { bucket, writer } = await killed();
  for (const key of keysWith(bucket, '/slot-').slice(-2)) bucket.server.damage(BUCKET, key, () => undefined);
  const reader = await reading(bucket, writer.id);
  expect(await readIds(reader)).toEqual(writer.acknowledged.slice(0, 4).map(nameOf));
  expect([lostOf(reader), reader.end]).toEqual([[4, 5], { seq: 6, event: 5 }]);
  expect((await projections.readState(reader)).fields).toMatchObject({ damaged: true });
});

test('P4: a snapshot proves commits whose slots are missing, and the next owner numbers after them', async () => {
  let ahead = 0;
  const bucket = await testBucket({ now: () => Date.now() + ahead });
  const writer = await Writer.begin(bucket.store());
  for (let at = 0; at < 3; at++) await writer.say('text');
  const { seq, event } = writer.journal.end;
  await writer.journal.saveSnapshot({ seq, version: 1, data: { endEvent: event } });
  bucket.server.damage(BUCKET, keysWith(bucket, '/slot-').at(-1) as string, () => undefined);
  ahead += 60_000;
  writer.journal = await bucket.store().open(writer.id, { create: 'never', owner: 'next' });
  expect(await writer.say('behind')).toMatchObject({ seq: 4, firstEvent: 3 });
  await readIds(writer.journal);
  expect(lostOf(writer.journal)).toEqual([3]);
});

test('P4: each flipped bit of a manifest is CORRUPT with advice, and a repair rebuilds it from the log', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  for (let at = 0; at < 4; at++) await writer.say('text');
  await writer.journal.close();
  const [key = ''] = keysWith(bucket, 'manifests/');
  const whole = bucket.server.body(BUCKET, key);
  for (let at = 0; at < whole.length; at += 7) {
    const harmed = Buffer.from(whole);
    harmed[at] = (harmed[at] ?? 0) ^ (1 << (at % 8));
    bucket.server.damage(BUCKET, key, () => harmed);
    const store = bucket.store();
    const corrupt = { code: 'CORRUPT', message: expect.stringContaining('check it with repair') as unknown };
    await expect(store.read(writer.id)).rejects.toMatchObject(corrupt);
    await expect(store.open(writer.id, { owner: 'a' })).rejects.toMatchObject(corrupt);
  }
  const store = bucket.store();
  await expect(store.check(writer.id)).rejects.toMatchObject({ code: 'CORRUPT' });
  const { findings } = await store.check(writer.id, { repair: true });
  expect(findings).toMatchObject([{ part: 'manifest', repaired: true }]);
  writer.journal = await store.open(writer.id, { create: 'never', owner: 'next' });
  expect([await readIds(writer.journal), lostOf(writer.journal)]).toEqual([writer.acknowledged.map(nameOf), []]);
  await writer.say('goes on');
  await writer.journal.close();
  expect((await store.check(writer.id)).findings).toEqual([]);
});

test('P4: a conversation whose manifest is missing is not created again over its log; a repair restores it', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  for (let at = 0; at < 70; at++) await writer.say('text');
  await writer.journal.close();
  bucket.server.damage(BUCKET, keysWith(bucket, 'manifests/')[0] as string, () => undefined);
  const store = bucket.store();
  const lost = { code: 'CORRUPT', message: expect.stringContaining('is lost') as unknown };
  await expect(store.read(writer.id)).rejects.toMatchObject(lost);
  await expect(store.delete(writer.id)).rejects.toMatchObject(lost);
  for (const create of ['ifMissing', 'must', 'never'] as const)
    await expect(store.open(writer.id, { create, owner: 'a' })).rejects.toMatchObject(lost);
  expect((await store.check(writer.id, { repair: true })).findings).toMatchObject([{ part: 'manifest' }]);
  expect(await readIds(await reading(bucket, writer.id))).toEqual(writer.acknowledged.map(nameOf));
  await expect(store.open(randomUUID(), { create: 'never', owner: 'a' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('P4: a repair makes a damaged pack again from the slots that it was made of', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  for (let at = 0; at < 70; at++) await writer.say('text');
  await writer.journal.close();
  const [pack = ''] = keysWith(bucket, '/pack-');
  for (const change of [(body: Buffer) => body.fill(35, 4000, 4010), () => undefined]) {
    bucket.server.damage(BUCKET, keysWith(bucket, '/pack-').at(-1) ?? pack, change);
    const damaged = await reading(bucket, writer.id);
    expect((await readIds(damaged)).length).toBeLessThan(writer.acknowledged.length);
    const { findings } = await bucket.store().check(writer.id, { repair: true });
    expect(findings).toMatchObject([{ part: 'log', repaired: true }]);
    const reader = await reading(bucket, writer.id);
    expect([await readIds(reader), lostOf(reader)]).toEqual([writer.acknowledged.map(nameOf), []]);
    for (const key of keysWith(bucket, '/pack-').filter((one) => one !== keysWith(bucket, '/pack-').at(-1)))
      bucket.server.damage(BUCKET, key, () => undefined);
  }
});

test('a manifest of an older store, without a check value, is read, and written with one', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  await writer.journal.close();
  const [key = ''] = keysWith(bucket, 'manifests/');
  bucket.server.damage(BUCKET, key, (body) => {
    const { check: _, ...old } = JSON.parse(body.toString()) as Record<string, unknown>;
    return Buffer.from(JSON.stringify({ ...old, v: 1 }));
  });
  expect(await readIds(await reading(bucket, writer.id))).toEqual(writer.acknowledged.map(nameOf));
  await (await bucket.store().open(writer.id, { owner: 'next' })).close();
  expect(JSON.parse(bucket.server.body(BUCKET, key).toString())).toMatchObject({ v: 2, check: expect.any(String) });
});

test('P4: settings of a lost commit are known from the copy in the manifest', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  const fields = { ...writer.fields, maxIterations: 7, hookConfig: { stop: [] } };
  writer.fields = fields;
  await writer.append({ id: randomUUID(), events: [], patch: { set: { maxIterations: 7, hookConfig: { stop: [] } } } });
  await writer.say('behind');
  await writer.journal.close();
  bucket.server.damage(BUCKET, keysWith(bucket, '/slot-')[1] as string, () => undefined);
  const { fields: read } = await projections.readState(await reading(bucket, writer.id));
  expect(read).toMatchObject({ damaged: true, maxIterations: 7, hookConfig: { stop: [] } });
});

test('P4: settings have their copy when they are acknowledged, so losing their commit loses no setting', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  for (const maxIterations of [9, 8, 7]) {
    writer.fields = { ...writer.fields, maxIterations };
    await writer.append({ id: randomUUID(), events: [], patch: { set: { maxIterations } } });
    const key = keysWith(bucket, '/slot-').at(-1) as string;
    const whole = bucket.server.body(BUCKET, key);
    bucket.server.damage(BUCKET, key, (body) => body.subarray(0, body.length - 20));
    const { fields } = await projections.readState(await reading(bucket, writer.id));
    expect(fields).toMatchObject({ damaged: true, maxIterations });
    bucket.server.damage(BUCKET, key, () => whole);
  }
});

test('a repair rewrites a summary that differs from the state of the log', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  writer.fields = { ...writer.fields, title: 'as it is' };
  await writer.append({ id: randomUUID(), events: [], patch: { set: { title: 'as it is' } } });
  await writer.journal.close();
  const [key = ''] = keysWith(bucket, 'manifests/');
  bucket.server.damage(BUCKET, key, (body) => {
    const { check: _check, ...manifest } = JSON.parse(body.toString()) as Record<string, unknown>;
    const summary = { ...(manifest['summary'] as object), title: 'as it was' };
    return Buffer.from(JSON.stringify({ ...manifest, summary, v: 1 }));
  });
  const store = bucket.store();
  const titles = async (): Promise<unknown> => (await bucket.store().list()).items.map(({ title }) => title);
  expect([(await store.check(writer.id)).findings, await titles()]).toMatchObject([
    [{ part: 'summary', severity: 'stale', repaired: false }],
    ['as it was'],
  ]);
  const { findings } = await store.check(writer.id, { repair: true });
  expect(findings).toMatchObject([{ part: 'summary', severity: 'stale', repaired: true }]);
  expect([(await store.check(writer.id)).findings, await titles()]).toEqual([[], ['as it is']]);
});

test('P4: lost commits that are read in parts are named as one span', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  for (let at = 0; at < 8; at++) await writer.say('text');
  for (const key of keysWith(bucket, '/slot-').slice(4, 7)) bucket.server.damage(BUCKET, key, () => undefined);
  const reader = await reading(bucket, writer.id);
  const part = async (from: number, to: number): Promise<unknown> => {
    await Array.fromAsync(reader.commits({ from: from as never, to: to as never }));
    return reader.damage.map((one) => [one.from, one.to]);
  };
  const [[first] = []] = (await part(0, 9)) as number[][];
  expect(await part(0, 9)).toEqual([[first, (first as number) + 2]]);
  expect(await part(first as number, (first as number) + 1)).toEqual([[first, (first as number) + 2]]);
});

test('P4: a deletion of a fork removes nothing of a source whose manifest is lost', async () => {
  const bucket = await testBucket();
  const store = bucket.store();
  const writer = await Writer.begin(store);
  for (let at = 0; at < 60; at++) await writer.say('text');
  await writer.journal.close();
  const newId = randomUUID();
  await store.fork(writer.id, newId, { patch: { set: { id: newId } } });
  const [key = ''] = keysWith(bucket, `manifests/${writer.id.replaceAll('-', '')}`);
  bucket.server.damage(BUCKET, key, () => undefined);
  await store.delete(newId);
  await store.check(writer.id, { repair: true });
  const reader = await reading(bucket, writer.id);
  expect([await readIds(reader), lostOf(reader)]).toEqual([writer.acknowledged.map(nameOf), []]);
});

test('P2: a conversation made between two reads does not count as one with a lost manifest', async () => {
  const bucket = await testBucket();
  const [first, second] = [bucket.store(), bucket.store()];
  const id = randomUUID();
  const made = Promise.withResolvers<void>();
  const looked = Promise.withResolvers<void>();
  bucket.server.faults = ({ operation }) => {
    if (operation !== 'ListObjectsV2') return undefined;
    looked.resolve();
    return hold(made.promise);
  };
  const opening = second.open(id, { owner: 'late' });
  await looked.promise;
  bucket.server.faults = undefined;
  await Writer.begin(first, id);
  made.resolve();
  await expect(opening).rejects.toMatchObject({ code: 'OWNED' });
});
