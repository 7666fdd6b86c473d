import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { foldJournal } from '@conv/core';
import { toCommitSeq, toConversationKey, type Commit } from '@conv/core/store';
import { describe, expect, test } from 'vitest';
import { FsStore, type Finding } from '../../src/index.ts';
import { Author, commitIds } from '../support/conversation-author.ts';
import { freshFolder } from '../support/fresh-folder.ts';

interface Recorded {
  readonly directory: string;
  readonly author: Author;
  readonly log: string;
  /** Where each commit's frame ends. */
  readonly ends: readonly number[];
}

/** A closed conversation in one epoch file, one flush per commit. */
async function recorded(commits: number): Promise<Recorded> {
  const directory = await freshFolder();
  const store = new FsStore({ directory });
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'writer' });
  const log = join(directory, toConversationKey(author.id), '.conv');
  const ends: number[] = [];
  await author.begin(journal);
  for (let count = 0; ; count++) {
    ends.push(statSync(join(log, 'epoch-00000001.wal')).size);
    if (count === commits) break;
    await author.say(journal, `message ${count}`);
  }
  await store.close();
  return { directory, author, log, ends };
}

/** A copy of a recorded conversation, to be damaged. */
async function copyOf({ directory, author }: Recorded): Promise<{ directory: string; folder: string; wal: string }> {
  const copy = await freshFolder();
  await cp(directory, copy, { recursive: true });
  const folder = join(copy, toConversationKey(author.id));
  return { directory: copy, folder, wal: join(folder, '.conv', 'epoch-00000001.wal') };
}

async function readAll(
  directory: string,
  id: string,
): Promise<{ ids: string[]; damage: readonly { from: number; to: number }[] }> {
  const store = new FsStore({ directory });
  const reader = await store.read(id);
  const ids = reader ? await commitIds(reader) : [];
  const damage = (reader?.damage ?? []).map(({ from, to }) => ({ from, to }));
  await store.close();
  return { ids, damage };
}

/** The commits that were read as they were written. */
const written = (ids: readonly string[]): string[] => ids.filter((id) => !id.startsWith('restored-'));

const idsOf = (commits: readonly Commit[]): string[] => commits.map(({ id }) => id);

describe('damage to the log', () => {
  test('P4: cutting a real log at a byte loses exactly the commits that end after it, and names them', async () => {
    const whole = await recorded(6);
    const { size } = statSync(join(whole.log, 'epoch-00000001.wal'));
    const from = whole.ends[0] ?? 0;
    for (let cut = from; cut < size; cut += 311) {
      const { directory, folder, wal } = await copyOf(whole);
      truncateSync(wal, cut);
      rmSync(join(folder, 'events'), { recursive: true });
      const kept = whole.ends.filter((end) => end <= cut).length;
      const store = new FsStore({ directory });
      const journal = await store.open(whole.author.id, { owner: 'next' });
      const ids = await commitIds(journal);
      expect(ids.slice(0, kept), `cut at ${cut}`).toEqual(idsOf(whole.author.acknowledged).slice(0, kept));
      expect(ids.slice(kept).some((id) => idsOf(whole.author.acknowledged).includes(id))).toBe(false);
      expect(journal.damage).toMatchObject([{ from: kept, to: whole.ends.length - 1 }]);
      const { fields } = await foldJournal(journal);
      expect(fields).toMatchObject({ damaged: true, confirmationPolicy: { kind: 'AlwaysConfirm' } });
      await store.close();
    }
  });

  test('P4: a flipped bit in a real log costs at most the commit that it hits, named by its number', async () => {
    const whole = await recorded(6);
    const bytes = readFileSync(join(whole.log, 'epoch-00000001.wal'));
    const ids = idsOf(whole.author.acknowledged);
    for (let at = 0; at < bytes.length; at += 211) {
      const { directory, wal } = await copyOf(whole);
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] as number) ^ (1 << (at % 8));
      writeFileSync(wal, damaged);
      const hit = whole.ends.findIndex((end) => at < end);
      const firstFrame =
        at < (whole.ends[0] ?? 0) - Buffer.byteLength(JSON.stringify(whole.author.acknowledged[0])) - 44;
      const found = await readAll(directory, whole.author.id);
      const expected = firstFrame ? ids : ids.filter((_, seq) => seq !== hit);
      expect(written(found.ids), `bit ${at}`).toEqual(expected);
      expect(found.damage, `bit ${at}`).toEqual(firstFrame ? [] : [{ from: hit, to: hit }]);
    }
  });

  test('P4: damage does not keep the conversation from being opened and written', async () => {
    const whole = await recorded(4);
    const { directory, wal } = await copyOf(whole);
    const bytes = readFileSync(wal);
    bytes.fill(0, (whole.ends[1] ?? 0) + 10, (whole.ends[2] ?? 0) + 10);
    writeFileSync(wal, bytes);
    const store = new FsStore({ directory });
    const journal = await store.open(whole.author.id, { owner: 'next' });
    await whole.author.say(journal, 'goes on');
    const ids = idsOf(whole.author.acknowledged);
    expect(written(await commitIds(journal))).toEqual(ids.filter((_, seq) => seq !== 2 && seq !== 3));
    expect(journal.damage).toMatchObject([{ from: 2, to: 3 }]);
    expect((await foldJournal(journal)).fields).toMatchObject({ damaged: true });
    await store.close();
  });

  test('P4: a torn tail that was never acknowledged is dropped and reported', async () => {
    const whole = await recorded(3);
    const { directory, wal } = await copyOf(whole);
    writeFileSync(wal, Buffer.concat([readFileSync(wal), readFileSync(wal).subarray(-40)]));
    const findings: Finding[] = [];
    const store = new FsStore({ directory, report: (finding) => findings.push(finding) });
    const journal = await store.open(whole.author.id, { owner: 'next' });
    expect(findings).toEqual([{ kind: 'tornTail', conversationId: whole.author.id, epoch: 1, bytes: 40 }]);
    expect(await commitIds(journal)).toEqual(idsOf(whole.author.acknowledged));
    expect(journal.damage).toEqual([]);
    await store.close();
  });

  test('P4: a lost file of the log costs the commits in it and no others', async () => {
    const whole = await recorded(3);
    const { directory, wal } = await copyOf(whole);
    const store = new FsStore({ directory });
    const journal = await store.open(whole.author.id, { owner: 'second' });
    await whole.author.say(journal, 'in the second file');
    await journal.close();
    rmSync(wal);
    const again = await store.open(whole.author.id, { owner: 'third' });
    expect(written(await commitIds(again))).toEqual(idsOf(whole.author.acknowledged).slice(4));
    expect(again.damage).toMatchObject([{ from: 0, to: 3 }]);
    await store.close();
  });

  test('P4: a file whose beginning is destroyed still continues the one before it', async () => {
    const whole = await recorded(2);
    const { directory, folder } = await copyOf(whole);
    const store = new FsStore({ directory });
    const journal = await store.open(whole.author.id, { owner: 'second' });
    const body = statSync(join(folder, '.conv', 'epoch-00000002.wal')).size;
    await whole.author.say(journal, 'in the second file');
    await journal.close();
    const path = join(folder, '.conv', 'epoch-00000002.wal');
    const bytes = readFileSync(path);
    bytes.fill(0, 0, body);
    writeFileSync(path, bytes);
    const ids = idsOf(whole.author.acknowledged);
    expect(await readAll(directory, whole.author.id)).toEqual({ ids, damage: [] });
    const again = await store.open(whole.author.id, { owner: 'third' });
    expect(await commitIds(again)).toEqual(ids);
    await store.close();
  });

  test('P4: an unreadable log is an error and never an empty conversation', async () => {
    const whole = await recorded(2);
    const { directory, folder } = await copyOf(whole);
    rmSync(join(folder, '.conv'), { recursive: true });
    writeFileSync(join(folder, '.conv'), 'a file where the log was');
    const store = new FsStore({ directory });
    await expect(store.open(whole.author.id, { owner: 'next' })).rejects.toMatchObject({ name: 'StoreError' });
    await store.close();
  });
});

describe('what is made from the log', () => {
  test.each(['index', 'owner.json', 'snapshot'])('P12: a missing or damaged %s is made again', async (name) => {
    const whole = await recorded(5);
    for (const spoil of [
      (path: string) => rmSync(path, { force: true }),
      (path: string) => writeFileSync(path, 'x'.repeat(100)),
    ]) {
      const { directory, folder } = await copyOf(whole);
      spoil(join(folder, '.conv', name));
      const store = new FsStore({ directory });
      const reader = await store.read(whole.author.id);
      const last = whole.author.acknowledged.at(-1)?.events[0]?.id ?? '';
      expect(await reader?.locate(last)).toBe(4);
      const journal = await store.open(whole.author.id, { owner: 'next' });
      expect(await journal.locate(last)).toBe(4);
      expect(await journal.snapshot()).toBeUndefined();
      expect(await commitIds(journal)).toEqual(idsOf(whole.author.acknowledged));
      await store.close();
    }
  });

  test('a damaged snapshot is left out', async () => {
    const whole = await recorded(2);
    const store = new FsStore({ directory: whole.directory });
    const journal = await store.open(whole.author.id, { owner: 'next' });
    await journal.saveSnapshot({ seq: toCommitSeq(2), version: 1, data: { a: 'b' } });
    const path = join(whole.log, 'snapshot');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"b"', '"c"'));
    expect(await journal.snapshot()).toBeUndefined();
    await store.close();
  });

  test('event files that are missing, empty or changed are written again', async () => {
    const whole = await recorded(5);
    const { directory, folder } = await copyOf(whole);
    const events = join(folder, 'events');
    const names = readdirSync(events).sort();
    rmSync(join(events, names[1] ?? ''));
    writeFileSync(join(events, names[2] ?? ''), '');
    rmSync(join(folder, '.conv', 'owner.json'));
    const store = new FsStore({ directory });
    await store.open(whole.author.id, { owner: 'next' });
    await store.mirrorComplete(whole.author.id);
    expect(readdirSync(events).sort()).toEqual(names);
    for (const [at, name] of names.entries()) {
      expect(JSON.parse(readFileSync(join(events, name), 'utf8'))).toEqual(
        whole.author.acknowledged[at + 1]?.events[0],
      );
    }
    await store.close();
  });
});
