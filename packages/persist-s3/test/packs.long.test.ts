import { toCommitSeq, toEventIndex, type Commit, type JournalReader } from '@conv/core/store';
import { slowDown } from '@conv/testing-s3-server';
import { expect, test } from 'vitest';
import { BUCKET, testBucket, type TestBucket } from './test-bucket.ts';
import { TestClock } from './test-clock.ts';
import { message, nameOf, readIds, storedIds, Writer } from './writer.ts';

const MIB = 1024 * 1024;

function packSizes({ server }: TestBucket): number[] {
  const keys = server.keys(BUCKET).filter((key) => key.includes('/pack-'));
  return keys.map((key) => server.body(BUCKET, key).length);
}

async function reading(bucket: TestBucket, id: string): Promise<JournalReader> {
  const reader = await bucket.store().read(id);
  if (!reader) throw new Error('it is not there');
  return reader;
}

/** Returns a generator of numbers from 0 to before `limit`; equal seeds give equal numbers. */
function randomNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

test('any range of commits and of events reads the same from packs and slots as it was written', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  const next = randomNumbers(5);
  for (let at = 0; at < 260; at++) {
    const events = Array.from({ length: next(4) }, () => message('x'.repeat(next(30_000))));
    await writer.append({ id: `commit ${at}`, events });
  }
  await writer.journal.close();
  const reader = await reading(bucket, writer.id);
  expect(packSizes(bucket).length).toBeGreaterThan(1);
  const { seq: commits, event: events } = reader.end;
  for (let round = 0; round < 60; round++) {
    const [from, fromEvent] = [next(commits), next(events)];
    const [to, toEvent] = [from + next(40), fromEvent + next(40)];
    const bySeq = await Array.fromAsync(reader.commits({ from: toCommitSeq(from), to: toCommitSeq(to) }));
    expect(bySeq.map(nameOf)).toEqual(writer.acknowledged.slice(from, to).map(nameOf));
    const span = { fromEvent: toEventIndex(fromEvent), toEvent: toEventIndex(toEvent) };
    const byEvent = await Array.fromAsync(reader.commits(span));
    const holds = (commit: Commit): boolean =>
      commit.firstEvent + commit.events.length > fromEvent && commit.firstEvent < toEvent;
    const wanted = fromEvent < toEvent ? writer.acknowledged.filter(holds) : [];
    expect(byEvent.filter(({ events: list }) => list.length > 0).map(nameOf)).toEqual(
      wanted.filter(({ events: list }) => list.length > 0).map(nameOf),
    );
    const chosen = writer.acknowledged[from] as Commit;
    for (const [at, { id }] of chosen.events.entries()) {
      expect(await reader.locate(id)).toBe(chosen.firstEvent + at);
    }
  }
  expect(await reader.locate('no such event')).toBeUndefined();
});

test('P12: all packs but two are full, and the bytes written are a small multiple of those kept', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store({ platform: new TestClock() }));
  const text = 'x'.repeat(60_000);
  for (let at = 0; at < 400; at++) await writer.say(text);
  await writer.journal.close();
  const key = `manifests/${writer.id.replaceAll('-', '')}.json`;
  const { packs } = JSON.parse(bucket.server.body(BUCKET, key).toString()) as { packs: { bytes: number }[] };
  const full = packs.filter(({ bytes }) => bytes >= 8 * MIB);
  expect(packs.length - full.length).toBeLessThanOrEqual(2);
  expect(full.length).toBeGreaterThan(1);
  const kept = packs.reduce((sum, { bytes }) => sum + bytes, 0);
  const written = packSizes(bucket).reduce((sum, bytes) => sum + bytes, 0);
  expect(written / kept).toBeLessThan(8);
});

test('a replaced pack is deleted after a while; its readers continue in the pack that replaced it', async () => {
  const bucket = await testBucket();
  const clock = new TestClock();
  const writer = await Writer.begin(bucket.store({ platform: clock }));
  const text = 'x'.repeat(30_000);
  const grow = async (): Promise<void> => {
    for (let at = 0; at < 40; at++) await writer.say(text);
  };
  await grow();
  const reader = await reading(bucket, writer.id);
  const before = writer.acknowledged.map(nameOf);
  for (let round = 0; round < 5; round++) {
    await grow();
    clock.advance(16 * 60_000);
  }
  await grow();
  await writer.journal.close();
  expect(packSizes(bucket).length).toBeLessThan(4);
  expect(await readIds(reader)).toEqual(before);
  expect(reader.damage).toEqual([]);
  await reader.refresh();
  expect(await readIds(reader)).toEqual(writer.acknowledged.map(nameOf));
});

test('appends continue while packing fails, and later packing catches up', async () => {
  const bucket = await testBucket();
  const findings: string[] = [];
  const clock = new TestClock();
  const writer = await Writer.begin(bucket.store({ platform: clock, report: ({ kind }) => findings.push(kind) }));
  bucket.server.faults = ({ key }) => (key.includes('/pack-') ? slowDown() : undefined);
  for (let at = 0; at < 150; at++) await writer.say('text');
  expect(packSizes(bucket)).toEqual([]);
  expect(findings).toContain('packFailed');
  bucket.server.faults = undefined;
  for (let at = 0; at < 40; at++) await writer.say('text');
  await writer.journal.close();
  expect(packSizes(bucket).length).toBeGreaterThan(0);
  expect(await storedIds(bucket.store(), writer.id)).toEqual(writer.acknowledged.map(nameOf));
});

test('P12: reading a long conversation keeps no more than a few packs in memory', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  const text = 'x'.repeat(250_000);
  for (let at = 0; at < 40; at++) await Promise.all(Array.from({ length: 8 }, () => writer.say(text)));
  await writer.journal.close();
  const reader = await reading(bucket, writer.id);
  bucket.server.forget();
  let most = 0;
  let packs = 0;
  for await (const { seq } of reader.commits()) {
    const asked = new Set(bucket.server.requests.map(({ key }) => key).filter((key) => key.includes('/pack-')));
    if (asked.size > packs) {
      packs = asked.size;
      most = Math.max(most, packs - Math.floor((seq * 250_000) / (8 * MIB)));
    }
  }
  expect(packs).toBeGreaterThan(5);
  expect(most).toBeLessThanOrEqual(3);
});
