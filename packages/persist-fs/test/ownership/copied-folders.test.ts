import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { foldJournal } from '@conv/core';
import { systemPlatform } from '@conv/core/platform';
import { toConversationKey } from '@conv/core/store';
import { describe, expect, onTestFinished, test } from 'vitest';
import { diskWith, nodeDisk } from '../../src/disk/node-disk.ts';
import { FsStore, type Disk, type DiskStat, type Finding } from '../../src/index.ts';
import { Author, commitIds } from '../support/conversation-author.ts';
import { freshFolder } from '../support/fresh-folder.ts';

interface Writing {
  readonly author: Author;
  readonly directory: string;
  readonly store: FsStore;
  readonly folder: string;
  readonly copy: string;
}

async function writing(disk: Disk = nodeDisk): Promise<Writing> {
  const [directory, copy] = [await freshFolder(), await freshFolder()];
  const author = new Author();
  const store = new FsStore({ directory, disk });
  onTestFinished(() => store.close());
  return { author, directory, store, folder: join(directory, toConversationKey(author.id)), copy };
}

/** Copies as `cp -a` does: the log first, and what is beside it after `meanwhile`. */
async function copied(from: string, to: string, meanwhile: () => Promise<void>): Promise<void> {
  const keep = { recursive: true, preserveTimestamps: true } as const;
  const wals = readdirSync(join(from, '.conv')).filter((name) => name.endsWith('.wal'));
  for (const name of wals) cpSync(join(from, '.conv', name), join(to, '.conv', name), keep);
  await meanwhile();
  cpSync(from, to, { ...keep, filter: (path) => !path.endsWith('.wal') });
}

describe('a copy of a folder that is being written', () => {
  test('P4: a copy opens at the moment at which its log was read, and nothing is lost', async () => {
    const { author, store, folder, copy } = await writing();
    const journal = await store.open(author.id, { owner: 'writer' });
    await author.begin(journal);
    for (let at = 0; at < 5; at++) await author.say(journal, `${at}`);
    const before = author.acknowledged.map(({ id }) => id);
    await copied(folder, join(copy, toConversationKey(author.id)), async () => {
      for (let at = 5; at < 10; at++) await author.say(journal, `${at}`);
      await author.change(journal, { set: { title: 'later' } });
      await store.mirrorComplete(author.id);
    });
    const findings: Finding[] = [];
    const restored = new FsStore({ directory: copy, report: (finding) => findings.push(finding) });
    onTestFinished(() => restored.close());
    for (const owner of ['first', 'second']) {
      const opened = await restored.open(author.id, { owner });
      expect((await commitIds(opened)).slice(0, before.length), `opened by ${owner}`).toEqual(before);
      expect(opened.damage, `opened by ${owner}`).toEqual([]);
      const { fields } = await foldJournal(opened);
      expect(fields, `opened by ${owner}`).toMatchObject({
        damaged: false,
        confirmationPolicy: { kind: 'NeverConfirm' },
      });
      await author.say(opened, `from ${owner}`);
      await opened.close();
    }
    expect(findings.filter(({ kind }) => kind === 'damage')).toEqual([]);
  });

  test('P4: a log that was cut in the folder itself, or in a copy after its owner ended, is still a loss', async () => {
    const { author, store, folder, copy } = await writing();
    const journal = await store.open(author.id, { owner: 'writer' });
    await author.begin(journal);
    const wal = join('.conv', 'epoch-00000001.wal');
    const whole = readFileSync(join(folder, wal)).length;
    await author.say(journal, 'lost');
    const target = join(copy, toConversationKey(author.id));
    cpSync(folder, target, { recursive: true, preserveTimestamps: true });
    const owner = JSON.parse(readFileSync(join(target, '.conv', 'owner.json'), 'utf8')) as { renewedAt: number };
    truncateSync(join(target, wal), whole);
    utimesSync(join(target, wal), new Date(), new Date(owner.renewedAt + 1000));
    const reader = await new FsStore({ directory: copy }).read(author.id);
    expect(reader?.damage).toMatchObject([{ from: 1, to: 1 }]);
  });
});

describe('files for OpenHands', () => {
  async function closed(disk?: Disk): Promise<Writing & { readonly events: string }> {
    const made = await writing(disk);
    const journal = await made.store.open(made.author.id, { owner: 'writer' });
    await made.author.begin(journal);
    for (let at = 0; at < 6; at++) await made.author.say(journal, `${at}`);
    await journal.close();
    return { ...made, events: join(made.folder, 'events') };
  }

  test('event files that were removed after a clean close are written again', async () => {
    const { author, store, events } = await closed();
    const names = readdirSync(events).sort();
    rmSync(join(events, names[2] ?? ''));
    await (await store.open(author.id, { owner: 'next' })).close();
    expect(readdirSync(events).sort()).toEqual(names);
  });

  test.each([
    ['fine', 1_700_000_000_000.25],
    ['coarse', 1_700_000_000_000],
  ])(
    'event files that were removed within a step of a %s clock of the file system are written again, too',
    async (_, time) => {
      const disk = diskWith({ ...systemPlatform, now: () => time });
      const stat = (path: string): DiskStat | undefined => {
        const found = disk.stat(path);
        return found && { ...found, modified: time };
      };
      const { author, store, events } = await closed({ ...disk, stat });
      const names = readdirSync(events).sort();
      rmSync(join(events, names[2] ?? ''));
      await (await store.open(author.id, { owner: 'next' })).close();
      expect(readdirSync(events).sort()).toEqual(names);
    },
  );

  test('a link in place of the index is not written through', async () => {
    const { author, store, folder } = await closed();
    const outside = join(await freshFolder(), 'victim');
    writeFileSync(outside, 'precious');
    const index = join(folder, '.conv', 'index');
    rmSync(index);
    symlinkSync(outside, index);
    const journal = await store.open(author.id, { owner: 'next' });
    await author.say(journal, 'one more');
    expect(readFileSync(outside, 'utf8')).toBe('precious');
    expect(await journal.locate(author.acknowledged.at(-1)?.events[0]?.id ?? '')).toBe(6);
    expect(existsSync(index)).toBe(true);
  });

  test('P12: no bit of the index that is flipped hides an event from its owner', async () => {
    const { author, store, folder } = await closed();
    const index = join(folder, '.conv', 'index');
    const bytes = readFileSync(index);
    for (let at = 0; at < bytes.length; at += 3) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] as number) ^ (1 << (at % 8));
      writeFileSync(index, damaged);
      const journal = await store.open(author.id, { owner: 'next' });
      for (const { firstEvent, events } of author.acknowledged.slice(1))
        expect(await journal.locate(events[0]?.id ?? ''), `byte ${at}`).toBe(firstEvent);
      await journal.close();
    }
  });
});
