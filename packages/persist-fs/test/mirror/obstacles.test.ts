import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ConversationState } from '@conv/core';
import { userMessage } from '@conv/core/events';
import { toConversationKey } from '@conv/core/store';
import { checkStore } from '@conv/store-kit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FsStore } from '../../src/index.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const [ID, OTHER] = ['00000000-0000-4000-8000-00000000000c', '00000000-0000-4000-8000-00000000000d'];

/** Two conversations of two owners, closed. `events`: the names of the event files of the first. */
async function made(): Promise<{ store: FsStore; folder: string; events: readonly string[] }> {
  const directory = await freshFolder();
  for (const id of [ID, OTHER, ID]) {
    const writer = new FsStore({ directory });
    const state = await ConversationState.open(await writer.open(id, { owner: 'writer' }), { id });
    for (const text of ['one', 'two']) await state.append([userMessage(text)]);
    await state.close();
    await writer.close();
  }
  const store = new FsStore({ directory });
  onTestFinished(() => store.close());
  const folder = join(directory, toConversationKey(ID));
  return { store, folder, events: readdirSync(join(folder, 'events')).sort() };
}

const INSTEAD: Readonly<Record<string, (file: string) => void>> = {
  'a folder': (file) => {
    mkdirSync(file);
    writeFileSync(join(file, 'something'), '');
  },
  'a FIFO': (file) => void execFileSync('mkfifo', [file]),
  'a link that leads to itself': (file) => symlinkSync(basename(file), file),
};

const FILES = [
  'event 0',
  'event 3',
  'base_state.json',
  'meta.json',
  'owner_lease.json',
  '.conv/owner.json',
  '.conv/index',
  '.conv/snapshot',
  '.conv/restored',
  '.conv/epoch-00000001.wal',
  '.conv/epoch-00000002.wal',
];

describe.each(Object.entries(INSTEAD))('%s in place of a file', (kind, put) => {
  test.each(FILES)('P4: %s is named, set aside by repair, and keeps nothing else from being checked', async (file) => {
    const { store, folder, events } = await made();
    const [, number] = /^event (\d)$/.exec(file) ?? [];
    const path = join(folder, number === undefined ? file : `events/${events[Number(number)]}`);
    rmSync(path, { force: true });
    put(path);
    const results = await Array.fromAsync(checkStore(store));
    expect(results.map(({ id, error }) => [id, error])).toEqual([undefined, ID, OTHER].map((id) => [id, undefined]));
    const [, checked, other] = results;
    expect(checked?.findings.map(({ message }) => message)).toContainEqual(
      expect.stringContaining(`expected a file, found ${kind}`),
    );
    expect(other?.findings).toEqual([]);
    const { findings } = await store.check(ID, { repair: true });
    // A log in whose place a folder stood is lost, and the repair records that.
    expect(findings.filter(({ repaired, severity }) => !repaired && severity !== 'known')).toEqual([]);
    const after = await store.check(ID);
    expect(after.findings.filter(({ part }) => part !== 'log')).toEqual([]);
    expect(after.events).toBe(4);
    expect(readdirSync(join(folder, 'events')).sort()).toEqual(events);
    expect(readdirSync(join(folder, '.conv/foreign'))).toHaveLength(1);
  });
});

test('P4: an event file that is a link to nowhere is written again, and the link is kept aside', async () => {
  const { store, folder, events } = await made();
  const file = join(folder, 'events', events[1] as string);
  rmSync(file);
  symlinkSync('/nowhere/at/all', file);
  const { findings } = await store.check(ID, { repair: true });
  expect(findings.map(({ part, repaired }) => [part, repaired])).toEqual([['event file', true]]);
  expect((await store.check(ID)).findings).toEqual([]);
});

test.each<[string, (path: string) => void]>([
  ['a file', (path) => writeFileSync(path, '')],
  ['a link that leads to itself', (path) => symlinkSync(basename(path), path)],
])('P4: %s in place of the folder of events is set aside by repair, and the events are written', async (_, put) => {
  const { store, folder, events } = await made();
  rmSync(join(folder, 'events'), { recursive: true });
  put(join(folder, 'events'));
  await store.check(ID, { repair: true });
  expect((await store.check(ID)).findings).toEqual([]);
  expect(readdirSync(join(folder, 'events')).sort()).toEqual(events);
});

test('P2: repair sets nothing aside while another owner lives', async () => {
  const { store, folder } = await made();
  const journal = await store.open(ID, { owner: 'writer' });
  rmSync(join(folder, '.conv/snapshot'), { force: true });
  mkdirSync(join(folder, '.conv/snapshot'));
  await expect(store.check(ID, { repair: true })).rejects.toMatchObject({ code: 'OWNED' });
  expect(readdirSync(join(folder, '.conv'))).not.toContain('foreign');
  rmSync(join(folder, '.conv/snapshot'), { recursive: true });
  await journal.close();
});

test('an opening sets a folder aside that has the name of an event file, and imports what else is new', async () => {
  const { store, folder } = await made();
  mkdirSync(join(folder, 'events', 'event-00004-aaaaaaaa-1111-4111-8111-111111111111.json'));
  const journal = await store.open(ID, { owner: 'writer' });
  expect(journal.end.event).toBe(4);
  await journal.close();
  expect(readdirSync(join(folder, '.conv/foreign'))).toHaveLength(1);
});
