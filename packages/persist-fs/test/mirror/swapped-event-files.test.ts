import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Event } from '@conv/core/events';
import { systemPlatform } from '@conv/core/platform';
import { toConversationKey } from '@conv/core/store';
import { eventFileName } from '@conv/openhands/folder';
import { expect, onTestFinished, test } from 'vitest';
import { diskWith, nodeDisk } from '../../src/disk/node-disk.ts';
import { FsStore, type Disk, type DiskStat } from '../../src/index.ts';
import { Author, message } from '../support/conversation-author.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const COUNT = 6;

interface Written {
  readonly author: Author;
  readonly store: FsStore;
  readonly events: string;
  /** The names of the event files. */
  readonly names: readonly string[];
}

/** A closed conversation whose event files are complete. */
async function written(disk: Disk = nodeDisk): Promise<Written> {
  const directory = await freshFolder();
  const store = new FsStore({ directory, disk });
  onTestFinished(() => store.close());
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'writer' });
  await author.begin(journal);
  for (let at = 0; at < COUNT; at++) await author.say(journal, `${at}`);
  await journal.close();
  const events = join(directory, toConversationKey(author.id), 'events');
  return { author, store, events, names: readdirSync(events).sort() };
}

/** Removes the file of an event, and adds a file of another program for a new one: as many files are there as before. */
function swap({ author, events, names }: Written): Event {
  rmSync(join(events, names[2] ?? ''));
  const added = message('from another program', author.fields.leafEventId);
  writeFileSync(join(events, eventFileName(COUNT, added.id)), JSON.stringify(added));
  return added;
}

/** Opens and closes, and returns what the folder and the log hold. */
async function reopened({ author, store, events }: Written): Promise<{ names: readonly string[]; ids: string[] }> {
  const journal = await store.open(author.id, { owner: 'next' });
  const commits = await Array.fromAsync(journal.commits());
  await journal.close();
  return { names: readdirSync(events).sort(), ids: commits.flatMap((commit) => commit.events.map(({ id }) => id)) };
}

function expectBoth({ names }: Written, added: Event, now: { names: readonly string[]; ids: string[] }): void {
  expect(now.names).toEqual([...names, eventFileName(COUNT, added.id)]);
  expect(now.ids.at(-1)).toBe(added.id);
  expect(now.ids).toHaveLength(COUNT + 1);
}

/** A disk whose clock stands still, as within a step of the clock of a file system. */
function stillDisk(time: number): Disk {
  const disk = diskWith({ ...systemPlatform, now: () => time });
  const stat = (path: string): DiskStat | undefined => {
    const found = disk.stat(path);
    return found && { ...found, modified: time };
  };
  return { ...disk, stat };
}

test.each([
  ['fine', 1_700_000_000_000.25],
  ['coarse', 1_700_000_000_000],
])('P5: a file that went and a file that came within a step of a %s clock are both seen', async (_, time) => {
  const made = await written(stillDisk(time));
  expectBoth(made, swap(made), await reopened(made));
});

test('P5: a file that went and a file that came during a session are both seen by the next opening', async () => {
  const made = await written();
  const journal = await made.store.open(made.author.id, { owner: 'second' });
  const added = swap(made);
  await journal.close();
  expectBoth(made, added, await reopened(made));
});

test('P5: files that changed within a clock step after an opening that wrote nothing are seen later', async () => {
  let now = 1_700_000_000_000;
  const disk = diskWith({ ...systemPlatform, now: () => now });
  const modified = now;
  const stat = (path: string): DiskStat | undefined => {
    const found = disk.stat(path);
    return found && { ...found, modified };
  };
  const made = await written({ ...disk, stat });
  const journal = await made.store.open(made.author.id, { owner: 'second' });
  const added = swap(made);
  now += 60_000;
  await journal.close();
  expectBoth(made, added, await reopened(made));
});

test('an opening of files that nothing changed writes none of them', async () => {
  const made = await written(stillDisk(1_700_000_000_000));
  const journal = await made.store.open(made.author.id, { owner: 'next' });
  expect(journal).toMatchObject({ epoch: 2 });
  await journal.close();
  expect(readdirSync(made.events).sort()).toEqual(made.names);
});
