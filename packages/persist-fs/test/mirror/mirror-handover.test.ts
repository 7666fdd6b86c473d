import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldJournal, type JsonObject } from '@conv/core';
import { toConversationKey, type Journal } from '@conv/core/store';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FsStore, nodeDisk, type Disk, type Finding, type SyncSite, type MirrorMode } from '../../src/index.ts';
import { Author } from '../support/conversation-author.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const strict = { set: { confirmationPolicy: { kind: 'AlwaysConfirm' } } } as const;

/** Stops its user at a sync until it is let continue. */
class Gate {
  #site: SyncSite | undefined;
  #arrived: (() => void) | undefined;
  #opened: Promise<void> = Promise.resolve();
  open: () => void = () => {};

  readonly disk: Disk = {
    ...nodeDisk,
    sync: async (file, site) => {
      await nodeDisk.sync(file, site);
      if (site !== this.#site) return;
      this.#site = undefined;
      this.#arrived?.();
      await this.#opened;
    },
  };

  /** Resolves when the user stands at the next sync with this name. */
  close(site: SyncSite): Promise<void> {
    this.#site = site;
    this.#opened = new Promise((resolve) => (this.open = resolve));
    return new Promise((resolve) => (this.#arrived = resolve));
  }
}

interface Owned {
  readonly directory: string;
  readonly folder: string;
  readonly author: Author;
  readonly journal: Journal;
  readonly store: FsStore;
  readonly findings: Finding[];
}

/** A conversation whose owner works on a disk of its own. */
async function owned(disk: Disk, mirror: MirrorMode = 'always'): Promise<Owned> {
  const directory = await freshFolder();
  const findings: Finding[] = [];
  const store = new FsStore({ directory, disk, mirror, report: (finding) => findings.push(finding) });
  onTestFinished(() => store.close());
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'zombie' });
  await author.begin(journal);
  await author.say(journal, 'hello');
  await store.mirrorComplete(author.id);
  return { directory, folder: join(directory, toConversationKey(author.id)), author, journal, store, findings };
}

/** Opens the conversation of an owner that gives no sign of life. */
async function takeOver({ directory, folder, author }: Owned, disk: Disk = nodeDisk): Promise<Journal> {
  rmSync(join(folder, '.conv', 'owner.json'));
  rmSync(join(folder, 'owner_lease.json'));
  const store = new FsStore({ directory, disk });
  onTestFinished(() => store.close());
  return store.open(author.id, { owner: 'successor', create: 'never' });
}

const json = (path: string): JsonObject => JSON.parse(readFileSync(path, 'utf8')) as JsonObject;
const policyIn = (folder: string, name: string): unknown => json(join(folder, name))['confirmation_policy'];
const temporaries = (folder: string): string[] =>
  [folder, join(folder, '.conv')].flatMap((place) => readdirSync(place).filter((name) => name.endsWith('.tmp')));

describe('an owner that was taken over from while it was writing the files for OpenHands', () => {
  test.each<SyncSite>(['mirror meta', 'mirror state'])(
    'P2 P4: an owner stopped at "%s" puts nothing older over what its successor acknowledged',
    async (site) => {
      const gate = new Gate();
      const before = await owned(gate.disk);
      const stopped = gate.close(site);
      await before.author.change(before.journal, { set: { title: 'of the zombie' } });
      await stopped;
      const successor = await takeOver(before);
      const author = new Author(before.author.id);
      author.fields = (await foldJournal(successor)).fields;
      await successor.append(
        { id: randomUUID(), events: [], patch: strict },
        { ...author.fields, confirmationPolicy: strict.set.confirmationPolicy },
      );
      gate.open();
      await before.journal.close();
      expect(policyIn(before.folder, 'base_state.json')).toEqual(strict.set.confirmationPolicy);
      expect(policyIn(before.folder, 'meta.json')).toEqual(strict.set.confirmationPolicy);
      await successor.close();
      expect(temporaries(before.folder)).toEqual([]);
      expect(existsSync(join(before.folder, '.conv', 'foreign'))).toBe(false);
    },
  );

  test("P1 P4: a late owner is told of a stored stricter policy when its successor's log and files say so", async () => {
    const gate = new Gate();
    const before = await owned(gate.disk);
    const stopped = gate.close('mirror state');
    const change = before.author.change(before.journal, strict);
    await stopped;
    const successor = await takeOver(before);
    gate.open();
    await change;
    expect(before.journal.lost.aborted).toBe(true);
    await expect(before.author.say(before.journal, 'late')).rejects.toMatchObject({ code: 'FENCED' });
    expect((await foldJournal(successor)).fields).toMatchObject(strict.set);
    expect(policyIn(before.folder, 'base_state.json')).toEqual(strict.set.confirmationPolicy);
  });

  test('P4: a successor shows its settings before it is open, whatever the late owner put there', async () => {
    const gate = new Gate();
    const before = await owned(gate.disk);
    const stopped = gate.close('mirror state');
    await before.author.change(before.journal, { set: { title: 'of the zombie' } });
    await stopped;
    const change = before.author.change(before.journal, strict);
    change.catch(() => {});
    const log = join(before.folder, '.conv', 'epoch-00000001.wal');
    await expect.poll(() => readFileSync(log).includes('AlwaysConfirm')).toBe(true);
    const temporary = readdirSync(before.folder).find((name) => /^base_state\.json\..*\.tmp$/.test(name)) ?? '';
    const late: Disk = {
      ...nodeDisk,
      open: (path, mode) => {
        const file = nodeDisk.open(path, mode);
        // the moment after the claim: the zombie has looked at the fence and names its file
        if (mode === 'create' && path.endsWith('.wal'))
          renameSync(join(before.folder, temporary), join(before.folder, 'base_state.json'));
        return file;
      },
    };
    await takeOver(before, late);
    expect(policyIn(before.folder, 'base_state.json')).toEqual(strict.set.confirmationPolicy);
    gate.open();
    await before.journal.close();
    expect(policyIn(before.folder, 'base_state.json')).toEqual(strict.set.confirmationPolicy);
  });

  test('P2: a late owner that begins a file after the claim does not give it its name, and is lost', async () => {
    let claim: (() => void) | undefined;
    const before = await owned({
      ...nodeDisk,
      open: (path, mode) => {
        if (mode === 'create' && path.includes('base_state.json')) claim?.();
        return nodeDisk.open(path, mode);
      },
    });
    claim = () => writeFileSync(join(before.folder, '.conv', 'epoch-00000002.wal'), '');
    // the claimant died before it recorded where the log ends
    await expect(before.author.change(before.journal, strict)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(before.journal.lost.aborted).toBe(true);
    expect(policyIn(before.folder, 'base_state.json')).not.toEqual(strict.set.confirmationPolicy);
    expect(temporaries(before.folder)).toEqual([]);
  });

  test('P2: a late owner that looked at the fence before the claim finds its file gone, and is lost', async () => {
    const gate = new Gate();
    let claim: (() => void) | undefined;
    const before = await owned({
      ...gate.disk,
      rename: (from, to) => {
        if (to.endsWith('base_state.json')) claim?.();
        gate.disk.rename(from, to);
      },
    });
    claim = () => {
      writeFileSync(join(before.folder, '.conv', 'epoch-00000002.wal'), '');
      for (const name of readdirSync(before.folder)) if (name.endsWith('.tmp')) rmSync(join(before.folder, name));
    };
    await expect(before.author.change(before.journal, strict)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(before.journal.lost.aborted).toBe(true);
    expect(before.findings).toMatchObject([{ kind: 'mirrorFailed', error: { code: 'FENCED' } }]);
    expect(policyIn(before.folder, 'base_state.json')).not.toEqual(strict.set.confirmationPolicy);
  });

  test('an owner writes a file again that a late claimant removed', async () => {
    let taken = 0;
    const before = await owned({
      ...nodeDisk,
      rename: (from, to) => {
        if (to.endsWith('base_state.json') && taken++ === 1) nodeDisk.remove(from);
        nodeDisk.rename(from, to);
      },
    });
    await before.author.change(before.journal, strict);
    expect(taken).toBeGreaterThan(1);
    expect(policyIn(before.folder, 'base_state.json')).toEqual(strict.set.confirmationPolicy);
    expect(before.findings).toEqual([]);
  });
});

test('P4: temporary files of a killed owner are gone when the next owner has opened', async () => {
  const before = await owned(nodeDisk);
  await before.journal.close();
  const left = [
    'base_state.json',
    'meta.json',
    'owner_lease.json',
    '.conv/owner.json',
    '.conv/snapshot',
    '.conv/event',
  ];
  for (const name of left) writeFileSync(join(before.folder, `${name}.${randomUUID()}.tmp`), 'half');
  writeFileSync(join(before.folder, 'notes.tmp'), 'of somebody else');
  const next = await before.store.open(before.author.id, { owner: 'next' });
  expect(temporaries(before.folder)).toEqual(['notes.tmp']);
  await next.close();
});

test('P3: a meta.json of ours that a crash left between two states is not a change by another program', async () => {
  let full = false;
  const before = await owned({
    ...nodeDisk,
    rename: (from, to) => {
      if (full && to.endsWith('base_state.json')) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      nodeDisk.rename(from, to);
    },
  });
  full = true;
  await before.author.change(before.journal, { set: { title: 'first' } });
  await before.store.mirrorComplete(before.author.id);
  expect(json(join(before.folder, 'meta.json'))['title']).toBe('first');
  await before.author.change(before.journal, { set: { title: 'second' } });
  const successor = await takeOver(before);
  expect((await foldJournal(successor)).fields.title).toBe('second');
});

describe('closing', () => {
  test('P4: closing completes the files of a fork that was opened and closed at once', async () => {
    const before = await owned(nodeDisk);
    await Promise.all(Array.from({ length: 400 }, (_, at) => before.author.say(before.journal, `message ${at}`)));
    const id = randomUUID();
    await before.store.fork(before.author.id, id, { patch: { set: { id } } });
    const fork = await before.store.open(id, { owner: 'ours' });
    await fork.close();
    const folder = join(before.directory, toConversationKey(id));
    expect(readdirSync(join(folder, 'events'))).toHaveLength(401);
    expect(json(join(folder, 'base_state.json'))).toMatchObject({ id, conv: { seq: Number(fork.end.seq) } });
  });

  test('closing completes the files of a fork that was never opened', async () => {
    const before = await owned(nodeDisk);
    await Promise.all(Array.from({ length: 400 }, (_, at) => before.author.say(before.journal, `message ${at}`)));
    const id = randomUUID();
    await before.store.fork(before.author.id, id, { patch: { set: { id } } });
    await before.store.close();
    expect(readdirSync(join(before.directory, toConversationKey(id), 'events'))).toHaveLength(401);
  });

  test('closing completes the files that a killed owner left out', async () => {
    const before = await owned(nodeDisk, 'deferred');
    await Promise.all(Array.from({ length: 300 }, (_, at) => before.author.say(before.journal, `message ${at}`)));
    const events = join(before.folder, 'events');
    expect(readdirSync(events)).toHaveLength(1);
    const successor = await takeOver(before);
    await successor.close();
    expect(readdirSync(events)).toHaveLength(301);
  });
});
