import { makeTwins, see, type Twins } from '@conv/testing-harness';
import { expect, test } from 'vitest';
import { BUCKET, testBucket, type TestBucket } from './test-bucket.ts';

const STRICT = { confirmationPolicy: { kind: 'AlwaysConfirm' }, maxIterations: 5 };

/** Returns the keys of a conversation's objects of one kind, in order. */
function keysOf({ server }: TestBucket, id: string, kind: string): string[] {
  return server.keys(BUCKET).filter((key) => key.includes(`/${id.replaceAll('-', '')}`) && key.includes(kind));
}

/** Makes twins, and puts objects of the lax one in the place of those of the strict one. */
async function swapped(kind: string, which: (keys: string[]) => string[], messages = 5, size = 16): Promise<Made> {
  const bucket = await testBucket();
  const writer = bucket.store();
  const twins = await makeTwins(writer, messages, size);
  await writer.close();
  const [own, foreign] = [twins.strict, twins.lax].map((id) => which(keysOf(bucket, id, kind))) as [string[], string[]];
  expect(own.length).toBeGreaterThan(0);
  expect(own).toHaveLength(foreign.length);
  for (const [at, key] of own.entries())
    bucket.server.damage(BUCKET, key, () => bucket.server.body(BUCKET, foreign[at] as string));
  return { bucket, twins };
}

interface Made {
  readonly bucket: TestBucket;
  readonly twins: Twins;
}

test.each([
  ['a slot', (keys: string[]) => keys.slice(2, 3), [2]],
  ['the slot of the settings', (keys: string[]) => keys.slice(1, 2), [1]],
  ['the last slot', (keys: string[]) => keys.slice(-1), [6]],
])('P4: %s of another conversation is a lost commit, and none of its events is shown', async (_, which, lost) => {
  const { bucket, twins } = await swapped('/slot-', which);
  const seen = await see(bucket.store(), twins.strict);
  expect(seen).toMatchObject({ lost, fields: { ...STRICT, damaged: true }, findings: ['log lost'] });
  expect(new Set(seen.words)).toEqual(new Set(['strict']));
  expect(await see(bucket.store(), twins.lax)).toMatchObject({ lost: [], findings: [] });
});

test('P4: a slot in the place of an earlier one of its own log is a lost commit there', async () => {
  const bucket = await testBucket();
  const writer = bucket.store();
  const { strict } = await makeTwins(writer, 5);
  await writer.close();
  const slots = keysOf(bucket, strict, '/slot-');
  bucket.server.damage(BUCKET, slots[2] as string, () => bucket.server.body(BUCKET, slots[4] as string));
  const seen = await see(bucket.store(), strict);
  expect(seen).toMatchObject({ lost: [2], findings: ['log lost'] });
  expect(seen.words).toHaveLength(4);
});

test.each([
  ['of the same size', 20_000, 20_000],
  ['that is larger', 20_000, 20_400],
  ['that is smaller', 20_400, 20_000],
])('P4: a pack of another conversation %s shows none of its events', async (_, size, other) => {
  const bucket = await testBucket();
  const writer = bucket.store();
  const { strict } = await makeTwins(writer, 60, size);
  const { lax } = await makeTwins(writer, 60, other);
  await writer.close();
  const [own, foreign] = [strict, lax].map((id) => keysOf(bucket, id, '/pack-').at(-1)) as [string, string];
  bucket.server.damage(BUCKET, own, () => bucket.server.body(BUCKET, foreign));
  const seen = await see(bucket.store(), strict);
  expect(new Set(seen.words)).not.toContain('lax---');
  expect(seen.lost.length).toBeGreaterThan(40);
  expect(seen.fields).toMatchObject({ ...STRICT, damaged: true });
  expect(seen.findings).toContain('log lost');
  // its slots are still there
  expect((await bucket.store().check(strict, { repair: true })).findings).toMatchObject([{ repaired: true }]);
  const repaired = await see(bucket.store(), strict);
  expect(repaired).toMatchObject({ lost: [], findings: [], words: Array<string>(60).fill('strict') });
});

test('P4: the manifest of another conversation is refused by name, and repair makes it again from the log', async () => {
  const { bucket, twins } = await swapped('manifests/', (keys) => keys);
  const store = bucket.store();
  const refused = { code: 'CORRUPT', message: expect.stringContaining(`conversation ${twins.lax}`) as string };
  await expect(store.read(twins.strict)).rejects.toMatchObject(refused);
  await expect(store.open(twins.strict, { owner: 'next' })).rejects.toMatchObject(refused);
  await expect(store.check(twins.strict)).rejects.toMatchObject(refused);
  const { items } = await store.list();
  expect(items.find(({ id }) => id === twins.strict)).toMatchObject({
    title: null,
    unreadable: expect.stringContaining(twins.lax) as string,
  });
  expect((await store.check(twins.strict, { repair: true })).findings).toMatchObject([
    { part: 'manifest', repaired: true },
  ]);
  expect(await see(bucket.store(), twins.strict)).toMatchObject({
    words: Array<string>(5).fill('strict'),
    lost: [],
    fields: { ...STRICT, title: 'strict title' },
    findings: [],
  });
});

test('P4: the snapshot of another conversation changes no state; check names it and repair removes it', async () => {
  const { bucket, twins } = await swapped('/snapshot', (keys) => keys);
  const expected = { lost: [], fields: { ...STRICT, damaged: false, id: twins.strict } };
  expect(await see(bucket.store(), twins.strict)).toMatchObject({ ...expected, findings: ['snapshot damaged'] });
  expect((await bucket.store().check(twins.strict, { repair: true })).findings).toMatchObject([{ repaired: true }]);
  expect(await see(bucket.store(), twins.strict)).toMatchObject({ ...expected, findings: [] });
});
