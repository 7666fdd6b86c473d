import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { projections } from '@conv/core';
import { toEventIndex, type JournalReader } from '@conv/core/store';
import { BUCKET, testBucket, type TestBucket } from './test-bucket.ts';
import { nameOf, readIds, Writer } from './writer.ts';

function slotKeys({ server }: TestBucket): string[] {
  return server.keys(BUCKET).filter((key) => key.includes('/slot-'));
}

function packKeys({ server }: TestBucket): string[] {
  return server.keys(BUCKET).filter((key) => key.includes('/pack-'));
}

/** Writes a conversation of `count` messages and closes it. Each message has its own slot. */
async function written(bucket: TestBucket, count: number, text = 'text'): Promise<Writer> {
  const writer = await Writer.begin(bucket.store());
  for (let at = 0; at < count; at++) await writer.say(text);
  await writer.journal.close();
  return writer;
}

async function reading(bucket: TestBucket, id: string): Promise<JournalReader> {
  const reader = await bucket.store().read(id);
  if (!reader) throw new Error('it is not there');
  return reader;
}

test('P4: damage in a slot loses one commit, names it, and lets a new owner append', async () => {
  const bucket = await testBucket();
  const writer = await written(bucket, 5);
  const key = slotKeys(bucket)[2] as string;
  bucket.server.damage(BUCKET, key, (body) => Buffer.from(body.toString().replace('"text":"text"', '"text":"tExt"')));
  const reader = await reading(bucket, writer.id);
  const left = writer.acknowledged.filter(({ seq }) => seq !== 2).map(nameOf);
  expect(await readIds(reader)).toEqual(left);
  expect(reader.damage).toMatchObject([{ from: 2, to: 2 }]);
  writer.journal = await bucket.store().open(writer.id, { create: 'never', owner: 'next' });
  await writer.say('behind');
  expect(await readIds(writer.journal)).toEqual([...left, nameOf(writer.acknowledged.at(-1) as never)]);
});

test('P4: a deleted slot is reported as damage and not as the end of the log', async () => {
  let ahead = 0;
  const bucket = await testBucket({ now: () => Date.now() + ahead });
  const writer = await Writer.begin(bucket.store());
  for (let at = 0; at < 6; at++) await writer.say('text');
  bucket.server.damage(BUCKET, slotKeys(bucket)[3] as string, () => undefined);
  ahead += 60_000;
  const journal = await bucket.store().open(writer.id, { create: 'never', owner: 'next' });
  expect(journal.end.seq).toBe(7);
  expect(await readIds(journal)).toEqual(writer.acknowledged.filter(({ seq }) => seq !== 3).map(nameOf));
  expect(journal.damage).toMatchObject([{ from: 3, to: 3 }]);
});

test('P4: a damaged head of the last slot loses its commit, whose number is not used again', async () => {
  let ahead = 0;
  const bucket = await testBucket({ now: () => Date.now() + ahead });
  const writer = await Writer.begin(bucket.store());
  for (let at = 0; at < 3; at++) await writer.say('text');
  bucket.server.damage(BUCKET, slotKeys(bucket).at(-1) as string, (body) => body.fill(0, 0, 20));
  ahead += 60_000;
  writer.journal = await bucket.store().open(writer.id, { create: 'never', owner: 'next' });
  expect((await writer.say('behind')).seq).toBe(4);
  const reader = await reading(bucket, writer.id);
  const left = writer.acknowledged.filter(({ seq }) => seq !== 3);
  expect((await readIds(reader)).filter((name) => !name.startsWith('3 '))).toEqual(left.map(nameOf));
});

test('P4: damage in a pack loses one commit; ranges and ids around it are found', async () => {
  const bucket = await testBucket();
  const writer = await written(bucket, 60, 'y'.repeat(20_000));
  const [key] = packKeys(bucket).slice(-1) as [string];
  bucket.server.damage(BUCKET, key, (body) => {
    body.write('#', body.length >> 1);
    return body;
  });
  const reader = await reading(bucket, writer.id);
  const found = await readIds(reader);
  expect(found).toHaveLength(writer.acknowledged.length - 1);
  const [span] = reader.damage;
  expect(span?.from).toBe(span?.to);
  const names = writer.acknowledged.filter(({ seq }) => seq !== span?.from).map(nameOf);
  expect(found).toEqual(names);
  for (const { seq, firstEvent, events } of writer.acknowledged.slice(1)) {
    const located = await reader.locate(events[0]?.id ?? '');
    expect(located).toBe(seq === span?.from ? undefined : firstEvent);
  }
});

test('P4: a missing pack loses its commits, and a damaged index of a pack loses nothing', async () => {
  const bucket = await testBucket();
  const writer = await written(bucket, 60, 'y'.repeat(20_000));
  const [key] = packKeys(bucket).slice(-1) as [string];
  bucket.server.damage(BUCKET, key, (body) => body.fill(35, body.length - 30, body.length - 20));
  const event = writer.acknowledged[20]?.events[0]?.id ?? '';
  expect(await (await reading(bucket, writer.id)).locate(event)).toBe(19);
  bucket.server.damage(BUCKET, key, () => undefined);
  const reader = await reading(bucket, writer.id);
  const found = await readIds(reader);
  expect(found.at(-1)).toBe(nameOf(writer.acknowledged.at(-1) as never));
  const [span] = reader.damage;
  const left = writer.acknowledged.filter(({ seq }) => seq < (span?.from ?? 0) || seq > (span?.to ?? 0));
  expect(found).toEqual(left.map(nameOf));
  expect(found.length).toBeLessThan(writer.acknowledged.length);
});

test('P4: ranges of events report only the damage inside them, and yield all events inside them', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  for (let at = 0; at < 9; at++) {
    await writer.say('text');
    for (let more = 0; more < at % 3; more++) await writer.append({ id: randomUUID(), events: [], patch: {} });
  }
  await writer.journal.close();
  const events = writer.journal.end.event;
  const spans = Array.from({ length: events }, (_, from) =>
    Array.from({ length: events - from }, (__, at) => [from, from + at + 1] as const),
  ).flat();
  // A reader knows the places of the commits that it has read, so each order passes over others.
  for (let step = 1; step < spans.length; step += 2) {
    const reader = await reading(bucket, writer.id);
    for (let count = 0; count < spans.length; count++) {
      const [from, to] = spans[(count * step) % spans.length] as readonly [number, number];
      const span = { fromEvent: toEventIndex(from), toEvent: toEventIndex(to) };
      const found = (await Array.fromAsync(reader.commits(span))).flatMap((commit) => commit.events);
      expect(found).toHaveLength(to - from);
    }
    expect(reader.damage).toEqual([]);
    await reader.close();
  }
  const lost = writer.acknowledged.find(({ firstEvent, events: held }) => held.length > 0 && firstEvent === 4);
  bucket.server.damage(BUCKET, slotKeys(bucket)[lost?.seq ?? 0] as string, (body) => body.fill(35, body.length - 40));
  const another = await reading(bucket, writer.id);
  for await (const _ of another.commits({ fromEvent: toEventIndex(3), toEvent: toEventIndex(6) }));
  expect(another.damage).toMatchObject([{ from: lost?.seq, to: lost?.seq }]);
});

test('a damaged snapshot is not returned', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  await writer.journal.saveSnapshot({ seq: writer.journal.end.seq, version: 1, data: { a: 1 } });
  const [key] = bucket.server.keys(BUCKET).filter((name) => name.endsWith('/snapshot')) as [string];
  bucket.server.damage(BUCKET, key, (body) => body.fill(35, 12, 14));
  expect(await writer.journal.snapshot()).toBeUndefined();
});

test('P10: a fork of a damaged conversation is as strict as its source and is marked as damaged', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  await writer.say('text');
  await writer.append({
    id: randomUUID(),
    events: [],
    patch: { set: { confirmationPolicy: { kind: 'AlwaysConfirm' } } },
  });
  await writer.journal.close();
  bucket.server.damage(BUCKET, slotKeys(bucket)[2] as string, () => undefined);
  const newId = randomUUID();
  await bucket.store().fork(writer.id, newId, { patch: { set: { id: newId } } });
  for (const id of [writer.id, newId]) {
    const { fields } = await projections.readState(await reading(bucket, id));
    expect(fields).toMatchObject({ damaged: true, confirmationPolicy: { kind: 'AlwaysConfirm' } });
  }
});
