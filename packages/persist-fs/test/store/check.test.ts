import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projections, ConversationState } from '@conv/core';
import { userMessage } from '@conv/core/events';
import { toConversationKey } from '@conv/core/store';
import { expect, onTestFinished, test } from 'vitest';
import { FsStore } from '../../src/index.ts';
import { damageRecord } from '../support/damage-record.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const ID = '00000000-0000-4000-8000-00000000000c';

async function made(): Promise<{ store: FsStore; folder: string; events: string }> {
  const directory = await freshFolder();
  const store = new FsStore({ directory });
  onTestFinished(() => store.close());
  const state = await ConversationState.open(await store.open(ID, { owner: 'writer' }), { id: ID });
  for (const text of ['one', 'two', 'three']) await state.append([userMessage(text)]);
  await state.close();
  const folder = join(directory, toConversationKey(ID));
  return { store, folder, events: join(folder, 'events') };
}

test('P4: check compares every file with the log, and repair rewrites wrong ones', async () => {
  const { store, folder, events } = await made();
  const whole = new Map(readdirSync(events).map((name) => [name, readFileSync(join(events, name), 'utf8')]));
  const [first = '', second = ''] = [...whole.keys()].sort();
  writeFileSync(join(events, first), (whole.get(first) ?? '').replace('one', 'ono'));
  rmSync(join(events, second));
  for (const name of ['base_state.json', 'meta.json', '.conv/snapshot', '.conv/owner.json', '.conv/index']) {
    const bytes = readFileSync(join(folder, name));
    bytes[20] = (bytes[20] as number) ^ 1;
    writeFileSync(join(folder, name), bytes);
  }
  const { findings } = await store.check(ID);
  expect(findings.map(({ part }) => part).sort()).toEqual(
    ['event file', 'event file', 'index', 'owner', 'snapshot', 'summary', 'summary'].sort(),
  );
  const repaired = await store.check(ID, { repair: true });
  expect(repaired.findings.every((finding) => finding.repaired)).toBe(true);
  expect((await store.check(ID)).findings).toEqual([]);
  for (const [name, text] of whole) expect(readFileSync(join(events, name), 'utf8')).toBe(text);
});

test('P4: repair keeps the events of a lost record, and records the loss, which is known from then on', async () => {
  const { store, folder, events } = await made();
  await damageRecord(folder, 2);
  const { findings } = await store.check(ID, { repair: true });
  const known = [{ part: 'log', severity: 'known', repaired: false }];
  expect(findings).toMatchObject(known);
  expect((await store.check(ID)).findings).toMatchObject(known);
  expect((await store.check(ID, { repair: true })).findings).toMatchObject(known);
  rmSync(events, { recursive: true });
  const reader = await store.read(ID);
  expect(await Array.fromAsync(reader?.commits({ from: 2 as never, to: 3 as never }) ?? [])).toMatchObject([
    { events: [{ kind: 'MessageEvent' }] },
  ]);
});

test('P10: check names whole state files of an earlier moment, which mislead OpenHands; repair renews them', async () => {
  const { store, folder } = await made();
  const files = ['base_state.json', 'meta.json'].map((name) => join(folder, name));
  const earlier = files.map((file) => readFileSync(file));
  const state = await ConversationState.open(await store.open(ID, { owner: 'writer' }), { id: ID });
  await state.update({ set: { confirmationPolicy: { kind: 'AlwaysConfirm' }, title: 'later' } });
  await state.close();
  const last = files.map((file) => readFileSync(file, 'utf8'));
  for (const [at, file] of files.entries()) writeFileSync(file, earlier[at] as Buffer);
  const { findings } = await store.check(ID, { repair: true });
  expect(findings).toEqual([
    {
      part: 'summary',
      severity: 'stale',
      message: expect.stringContaining('base_state.json does not show the settings') as string,
      repaired: true,
    },
  ]);
  expect((await store.check(ID)).findings).toEqual([]);
  for (const [at, file] of files.entries()) {
    const { confirmation_policy: policy, title } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    const before = JSON.parse(last[at] as string) as Record<string, unknown>;
    expect([policy, title]).toEqual([before['confirmation_policy'], before['title']]);
  }
});

test('P4: check names files that OpenHands takes for events and the log lacks, and repair moves them away', async () => {
  const { store, folder, events } = await made();
  const names = readdirSync(events).sort();
  const [first = ''] = names;
  const text = readFileSync(join(events, first), 'utf8');
  const foreign = { ...(JSON.parse(text) as object), id: 'bbbbbbbb-1111-4111-8111-111111111111' };
  writeFileSync(join(events, 'event-00003-bbbbbbbb-1111-4111-8111-111111111111.json'), JSON.stringify(foreign));
  writeFileSync(join(events, 'event-00004-aaaaaaaa-1111-4111-8111-111111111111.json'), '{"kind"');
  writeFileSync(join(events, first.replace('00000', '99999999999')), text);
  writeFileSync(join(events, 'notes.txt'), 'mine');
  const { findings } = await store.check(ID);
  expect(findings.map(({ part, severity, message }) => [part, severity, message])).toEqual([
    ['event file', 'stale', 'event-00004-aaaaaaaa-1111-4111-8111-111111111111.json holds no event'],
    ['event file', 'stale', `${first.replace('00000', '99999999999')} holds an event that the log has elsewhere`],
  ]);
  const repaired = await store.check(ID, { repair: true });
  expect(repaired.findings.map((finding) => finding.repaired)).toEqual([true, true]);
  expect((await store.check(ID)).findings).toEqual([]);
  expect(readdirSync(join(folder, '.conv/foreign'))).toHaveLength(2);
  expect(readdirSync(events)).toEqual(expect.arrayContaining([...names, 'notes.txt']));
});

test('P4: check says that settings may be lost in a folder that was copied halfway, as its state does', async () => {
  const { store, folder } = await made();
  rmSync(join(folder, '.conv'), { recursive: true });
  rmSync(join(folder, 'base_state.json'));
  const reader = await store.read(ID);
  expect(reader && (await projections.readState(reader)).fields).toMatchObject({ damaged: true });
  const lost = { part: 'summary', severity: 'lost', message: 'settings may be lost: check these, and confirm them' };
  expect((await store.check(ID)).findings).toEqual([{ ...lost, repaired: false }]);
  const known = [{ ...lost, severity: 'known', repaired: false }];
  expect((await store.check(ID, { repair: true })).findings).toEqual(known);
  expect((await store.check(ID)).findings).toEqual(known);
  const state = await ConversationState.open(await store.open(ID, { owner: 'next' }), { id: ID });
  await state.update({ set: { damaged: false } });
  await state.close();
  expect((await store.check(ID)).findings).toEqual([]);
});

test.each([0, 2])(
  'P4: lost event %i alone is gone without index and event files, and is named alone after a repair',
  async (lost) => {
    const { store, folder, events } = await made();
    await damageRecord(folder, lost + 1);
    rmSync(events, { recursive: true });
    rmSync(join(folder, '.conv/index'));
    const before = (await store.check(ID)).findings;
    expect(before).toContainEqual(expect.objectContaining({ part: 'log', severity: 'lost' }));
    expect(before).toContainEqual(expect.objectContaining({ part: 'index', severity: 'damaged' }));
    expect(before.filter(({ part }) => part === 'event file')).toHaveLength(3);
    const repaired = (await store.check(ID, { repair: true })).findings;
    expect(repaired.filter((finding) => !finding.repaired)).toMatchObject([{ part: 'log', severity: 'known' }]);
    expect((await store.check(ID)).findings).toMatchObject([{ part: 'log', severity: 'known' }]);
    const reader = await store.read(ID);
    const there = (await Array.fromAsync(reader?.commits() ?? [])).flatMap((commit) => commit.events);
    expect(there).toHaveLength(2);
    expect(readdirSync(events)).toHaveLength(3);
  },
);

test.each([0, 1, 2])(
  'P4: a lost record without event %i names its loss alone, and a repair records it',
  async (gone) => {
    const directory = await freshFolder();
    const store = new FsStore({ directory });
    onTestFinished(() => store.close());
    const state = await ConversationState.open(await store.open(ID, { owner: 'writer' }), { id: ID });
    await state.append(['one', 'two', 'three'].map((text) => userMessage(text)));
    await state.append([userMessage('four')]);
    await state.close();
    const folder = join(directory, toConversationKey(ID));
    await damageRecord(folder, 1);
    const [name = ''] = readdirSync(join(folder, 'events')).filter((one) => one.startsWith(`event-0000${gone}`));
    rmSync(join(folder, 'events', name));
    const lost = (await store.check(ID)).findings.filter(({ part }) => part === 'log');
    expect(lost).toMatchObject([{ severity: 'lost' }]);
    const known = [{ part: 'log', severity: 'known' }];
    const repaired = (await store.check(ID, { repair: true })).findings;
    expect(repaired.filter((finding) => !finding.repaired)).toMatchObject(known);
    expect((await store.check(ID)).findings).toMatchObject(known);
    expect((await store.check(ID, { repair: true })).findings).toMatchObject(known);
  },
);

test('P4: check keeps saying which events came back after a repair of a folder without its log', async () => {
  const { store, folder } = await made();
  rmSync(join(folder, '.conv'), { recursive: true });
  const lost = /^commits 0 to 3 cannot be read: .*; events 0, 1, 2 were restored from another copy$/;
  const { findings } = await store.check(ID);
  expect(findings).toMatchObject([{ part: 'log', severity: 'lost', message: expect.stringMatching(lost) as string }]);
  const said =
    /^commits 0 to 3 cannot be read: .*; events 0, 1, 2 were restored from another copy; the log records this/;
  const known = [{ part: 'log', severity: 'known', message: expect.stringMatching(said) as string }];
  expect((await store.check(ID, { repair: true })).findings).toMatchObject(known);
  const state = await ConversationState.open(await store.open(ID, { owner: 'next' }), { id: ID });
  expect(state.damage).toMatchObject([{ from: 0, to: 3, restored: [0, 1, 2] }]);
  expect(state.fields).toMatchObject({ damaged: true, confirmationPolicy: { kind: 'AlwaysConfirm' } });
  await state.update({ set: { damaged: false } });
  await state.append([userMessage('four')]);
  await state.close();
  expect((await store.check(ID)).findings).toMatchObject(known);
  expect((await store.check(ID, { repair: true })).findings).toMatchObject(known);
});

test.each([
  [[1], /^commit 1 cannot be read: epoch 1 of conversation \S+ is damaged; event 0 was restored from another copy$/],
  [
    [1, 2],
    /^commits 1 to 2 cannot be read: epoch 1 of conversation \S+ is damaged; events 0, 1 were restored from another copy$/,
  ],
])(
  'P4: check says of lost commits %j in one sentence which they are, where, and what came back',
  async (lost, said) => {
    const { store, folder } = await made();
    for (const seq of lost) await damageRecord(folder, seq);
    const { findings } = await store.check(ID);
    expect(findings.map(({ message }) => message)).toContainEqual(expect.stringMatching(said));
  },
);
