import { foldJournal } from '@conv/core';
import { toConversationKey } from '@conv/core/store';
import { SimulatedDisk } from '@conv/testing-disk';
import { stepsInCi } from '@conv/testing-harness';
import { beforeAll, expect, test } from 'vitest';
import { FsStore } from '../../src/index.ts';
import { readFile } from '../../src/disk/whole-file.ts';
import { Author, commitIds } from '../support/conversation-author.ts';

const ROOT = '/store';
const MESSAGES = 6;

/** CI tries every seventh byte of each log, and flips bits of whole stores besides. */
const { first, step } = stepsInCi(7);

/** A closed conversation in one epoch file, one flush per commit, without its event files: the log alone is looked at. */
interface Recorded {
  readonly id: string;
  readonly commits: readonly string[];
  /** Where each commit's frame ends. */
  readonly ends: readonly number[];
  /** Where the first one begins. */
  readonly body: number;
  readonly wal: Buffer;
  readonly others: readonly (readonly [path: string, bytes: Buffer])[];
}

let recorded: Recorded;
beforeAll(async () => (recorded = await record()));

async function record(): Promise<Recorded> {
  const disk = new SimulatedDisk();
  const store = new FsStore({ directory: ROOT, disk });
  const author = new Author();
  const folder = `${ROOT}/${toConversationKey(author.id)}`;
  const path = `${folder}/.conv/epoch-00000001.wal`;
  const journal = await store.open(author.id, { owner: 'writer' });
  const body = disk.stat(path)?.size ?? 0;
  await author.begin(journal);
  const ends = [disk.stat(path)?.size ?? 0];
  for (let count = 0; count < MESSAGES; count++) {
    await author.say(journal, `${count}`);
    ends.push(disk.stat(path)?.size ?? 0);
  }
  await store.close();
  const names = ['base_state.json', 'meta.json', '.conv/owner.json', '.conv/index'];
  return {
    id: author.id,
    commits: author.acknowledged.map(({ id }) => id),
    ends,
    body,
    wal: readFile(disk, path),
    others: names.map((name) => [`${folder}/${name}`, readFile(disk, `${folder}/${name}`)]),
  };
}

/** A disk with the recorded conversation, whose log holds these bytes. */
function diskWith(wal: Buffer): SimulatedDisk {
  const disk = new SimulatedDisk();
  const folder = `${ROOT}/${toConversationKey(recorded.id)}`;
  for (const made of [ROOT, folder, `${folder}/.conv`, `${folder}/events`]) disk.makeFolder(made);
  for (const [path, bytes] of [...recorded.others, [`${folder}/.conv/epoch-00000001.wal`, wal] as const]) {
    const file = disk.open(path, 'create');
    if (bytes.length > 0) disk.write(file, bytes, 0);
    disk.close(file);
  }
  return disk;
}

test('P4: a log cut at any byte loses exactly the commits that end after it, names them, and asks', async () => {
  const { id, commits, ends, body, wal } = recorded;
  expect(wal.length).toBeGreaterThan(3000);
  for (let cut = body + first; cut < wal.length; cut += step) {
    const store = new FsStore({ directory: ROOT, disk: diskWith(wal.subarray(0, cut)) });
    const journal = await store.open(id, { owner: 'next' });
    const kept = ends.filter((end) => end <= cut).length;
    const found = await commitIds(journal);
    expect(found.slice(0, kept), `cut at ${cut}`).toEqual(commits.slice(0, kept));
    expect(
      found.filter((one) => commits.includes(one)),
      `cut at ${cut}`,
    ).toHaveLength(kept);
    expect(journal.damage, `cut at ${cut}`).toMatchObject([{ from: kept, to: commits.length - 1 }]);
    const { fields } = await foldJournal(journal);
    expect(fields, `cut at ${cut}`).toMatchObject({ damaged: true, confirmationPolicy: { kind: 'AlwaysConfirm' } });
    await store.close();
  }
});

test('P4: a log cut at any byte of its beginning opens as no empty conversation, and asks', async () => {
  const { id, commits, body, wal } = recorded;
  for (let cut = first; cut < body; cut += step) {
    const store = new FsStore({ directory: ROOT, disk: diskWith(wal.subarray(0, cut)) });
    const journal = await store.open(id, { owner: 'next', create: 'never' });
    expect(
      (await commitIds(journal)).filter((one) => commits.includes(one)),
      `cut at ${cut}`,
    ).toEqual([]);
    const { fields } = await foldJournal(journal);
    expect(fields, `cut at ${cut}`).toMatchObject({ id, damaged: true, confirmationPolicy: { kind: 'AlwaysConfirm' } });
    await store.close();
  }
});

test('P4: a flipped bit of any byte costs at most the commit that it hits, named by its number', async () => {
  const { id, commits, ends, body, wal } = recorded;
  let random = 20_260_101;
  for (let at = first; at < wal.length; at += step) {
    random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
    const damaged = Buffer.from(wal);
    damaged[at] = (damaged[at] as number) ^ (1 << (random >>> 29));
    const store = new FsStore({ directory: ROOT, disk: diskWith(damaged) });
    const reader = await store.read(id);
    const hit = at < body ? -1 : ends.findIndex((end) => at < end);
    const found = reader && (await commitIds(reader));
    expect(found, `bit ${random >>> 29} of byte ${at}`).toEqual(commits.filter((_, seq) => seq !== hit));
    const named = reader?.damage.map(({ from, to }) => [from, to]);
    expect(named, `bit ${random >>> 29} of byte ${at}`).toEqual(hit < 0 ? [] : [[hit, hit]]);
    await store.close();
  }
});
