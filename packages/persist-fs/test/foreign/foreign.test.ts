import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { foldJournal, type JsonObject } from '@conv/core';
import { fromBaseState, parseEventFileName } from '@conv/openhands/folder';
import { readEvents, toConversationKey, type JournalReader } from '@conv/core/store';
import { describe, expect, test } from 'vitest';
import { FsStore, type Finding } from '../../src/index.ts';
import { Author, message } from '../support/conversation-author.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const fixtures = join(import.meta.dirname, '../../../../testing/fixtures/conversations');
const keys = readdirSync(fixtures).filter((name) => /^[0-9a-f]{32}$/.test(name));

/** A store on a copy of the folders that OpenHands wrote. */
async function fixtureStore(): Promise<{ directory: string; store: FsStore; findings: Finding[] }> {
  const directory = await freshFolder();
  await cp(fixtures, directory, { recursive: true });
  for (const key of keys) rmSync(join(directory, key, 'owner_lease.json'), { force: true });
  const findings: Finding[] = [];
  return { directory, store: new FsStore({ directory, report: (finding) => findings.push(finding) }), findings };
}

/** A closed conversation of ours. */
async function own(messages: number): Promise<{ directory: string; folder: string; author: Author }> {
  const directory = await freshFolder();
  const store = new FsStore({ directory });
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'ours' });
  await author.begin(journal);
  for (let count = 0; count < messages; count++) await author.say(journal, `message ${count}`);
  await store.close();
  return { directory, folder: join(directory, toConversationKey(author.id)), author };
}

const json = (path: string): JsonObject => JSON.parse(readFileSync(path, 'utf8')) as JsonObject;
const eventNames = (folder: string): string[] =>
  readdirSync(join(folder, 'events'))
    .filter((name) => name.startsWith('event-'))
    .sort();

const filesIn = (folder: string): string[] => (readdirSync(folder, { recursive: true }) as string[]).toSorted();

async function eventIds(reader: JournalReader): Promise<string[]> {
  const ids: string[] = [];
  for await (const { event } of readEvents(reader, 0)) ids.push(event.id);
  return ids;
}

function put(folder: string, index: number, event: { readonly id: string }): void {
  writeFileSync(
    join(folder, 'events', `event-${String(index).padStart(5, '0')}-${event.id}.json`),
    JSON.stringify(event),
  );
}

/** A lease of a living agent server elsewhere. */
const lease = (change: object): string =>
  JSON.stringify({
    owner_instance_id: 'f'.repeat(32),
    generation: 3,
    expires_at: Date.now() / 1000 + 40,
    owner_host: 'elsewhere',
    owner_pid: 1,
    ...change,
  });

describe('a folder that OpenHands wrote', () => {
  test('fixtures are there', () => expect(keys).toHaveLength(5));

  test.each(keys)('%s opens with every event at its place and the state that was saved', async (key) => {
    const { directory, store } = await fixtureStore();
    const folder = join(directory, key);
    const before = { names: eventNames(folder), base: json(join(folder, 'base_state.json')) };
    const journal = await store.open(key, { create: 'never', owner: 'ours' });
    expect(await eventIds(journal)).toEqual(before.names.map((name) => parseEventFileName(name)?.id));
    const { fields } = await foldJournal(journal);
    const { extra: _, ...saved } = fromBaseState(before.base);
    expect(fields).toMatchObject(saved);
    expect(fields).toMatchObject({ damaged: false, createdAt: json(join(fixtures, key, 'meta.json'))['created_at'] });
    await store.close();
    expect(eventNames(folder)).toEqual(before.names);
    for (const name of before.names) {
      expect(readFileSync(join(folder, 'events', name), 'utf8')).toBe(
        readFileSync(join(fixtures, key, 'events', name), 'utf8'),
      );
    }
  });

  test('a folder that OpenHands wrote is imported once', async () => {
    const { directory, store, findings } = await fixtureStore();
    const key = keys[0] as string;
    await store.open(key, { owner: 'ours' }).then((journal) => journal.close());
    const again = new FsStore({ directory, report: (finding) => findings.push(finding) });
    const journal = await again.open(key, { owner: 'ours' });
    expect(findings.filter(({ kind }) => kind === 'imported')).toHaveLength(1);
    expect(new Set(await eventIds(journal)).size).toBe(journal.end.event);
    await again.close();
  });

  test('P2: a folder of OpenHands is readable without being opened, even while an agent server owns it', async () => {
    const { directory, store } = await fixtureStore();
    const key = keys[0] as string;
    writeFileSync(join(directory, key, 'owner_lease.json'), lease({}));
    const before = filesIn(join(directory, key));
    const reader = await store.read(key);
    expect(reader && (await eventIds(reader))).toEqual(
      eventNames(join(fixtures, key)).map((name) => parseEventFileName(name)?.id),
    );
    expect(filesIn(join(directory, key))).toEqual(before);
    await store.close();
  });

  test('a folder that OpenHands wrote can be forked', async () => {
    const { store } = await fixtureStore();
    const fork = new Author();
    await store.fork(keys[0] as string, fork.id, { patch: { set: { id: fork.id } } });
    expect((await store.read(fork.id))?.end.event).toBe(eventNames(join(fixtures, keys[0] as string)).length);
    await store.close();
  });

  test.each(['', '{"id":', '[]'])(
    'P4: a foreign folder with an unreadable state (%j) opens its history and asks before everything',
    async (text) => {
      const { directory, store } = await fixtureStore();
      const key = keys[0] as string;
      writeFileSync(join(directory, key, 'base_state.json'), text);
      const journal = await store.open(key, { owner: 'ours' });
      expect(journal.end.event).toBe(eventNames(join(fixtures, key)).length);
      expect((await foldJournal(journal)).fields).toMatchObject({
        damaged: true,
        confirmationPolicy: { kind: 'AlwaysConfirm' },
      });
      await store.close();
    },
  );

  test('gaps are closed and reported, and children of missing events follow the nearest earlier event', async () => {
    const { directory, store, findings } = await fixtureStore();
    const key = keys.find((name) => eventNames(join(fixtures, name)).length > 20) as string;
    const folder = join(directory, key);
    const names = eventNames(folder);
    const [gone, empty] = [names[1] as string, names[5] as string];
    rmSync(join(folder, 'events', gone));
    writeFileSync(join(folder, 'events', empty), '');
    const kept = names.filter((name) => name !== gone && name !== empty);
    const journal = await store.open(key, { owner: 'ours' });
    const ids = await eventIds(journal);
    expect(ids).toEqual(kept.map((name) => parseEventFileName(name)?.id));
    for await (const { event, index } of readEvents(journal, 0)) {
      const older = [undefined, null, '__root__', ...ids.slice(0, index)];
      expect(older, `parent of ${index}`).toContain(event.parent_id);
    }
    await store.close();
    expect(eventNames(folder).map((name) => parseEventFileName(name)?.index)).toEqual(kept.map((_, at) => at));
    expect(findings.some(({ kind }) => kind === 'misfit')).toBe(true);
    expect(existsSync(join(folder, '.conv', 'foreign', empty))).toBe(true);
  });

  test('two files with one number are both kept', async () => {
    const { directory, store } = await fixtureStore();
    const key = keys[0] as string;
    const folder = join(directory, key);
    const twin = message('the same number', parseEventFileName(eventNames(folder)[2] as string)?.id ?? null);
    put(folder, 3, twin);
    const journal = await store.open(key, { owner: 'ours' });
    expect(await eventIds(journal)).toContain(twin.id);
    expect(journal.end.event).toBe(eventNames(join(fixtures, key)).length + 1);
    await store.close();
    expect(eventNames(folder)).toHaveLength(journal.end.event);
  });
});

describe('what OpenHands changes in a folder of ours', () => {
  test('P2: foreign events come next with ids and parents, and are renamed where a position is taken', async () => {
    const { directory, folder, author } = await own(3);
    const parent = author.fields.leafEventId;
    const one = message('by another program', parent);
    const two = message('and its child', one.id);
    put(folder, 2, one);
    put(folder, 3, two);
    const store = new FsStore({ directory });
    const journal = await store.open(author.id, { owner: 'ours again' });
    const ids = await eventIds(journal);
    expect(ids.slice(3)).toEqual([one.id, two.id]);
    expect((await foldJournal(journal)).fields.leafEventId).toBe(two.id);
    await store.close();
    expect(eventNames(folder).map((name) => parseEventFileName(name)?.id)).toEqual(ids);
  });

  test('P2: a foreign event is imported at the first opening if it has the number of a removed event file', async () => {
    const { directory, folder, author } = await own(6);
    const ours = eventNames(folder);
    const theirs = message('theirs', author.fields.leafEventId);
    rmSync(join(folder, 'events', ours[2] as string));
    put(folder, 2, theirs);
    const store = new FsStore({ directory });
    const journal = await store.open(author.id, { owner: 'ours again' });
    expect(journal.damage).toEqual([]);
    expect(await eventIds(journal)).toEqual([...ours.map((name) => parseEventFileName(name)?.id), theirs.id]);
    await journal.close();
    expect(eventNames(folder)).toEqual([...ours, `event-00006-${theirs.id}.json`]);
    await store.close();
  });

  test('foreign changes of the state are one commit', async () => {
    const { directory, folder, author } = await own(2);
    const { conv: _, ...base } = json(join(folder, 'base_state.json'));
    const changed = {
      ...base,
      confirmation_policy: { kind: 'AlwaysConfirm' },
      tags: { team: 'core' },
      execution_status: 'paused',
    };
    writeFileSync(join(folder, 'base_state.json'), JSON.stringify(changed));
    const store = new FsStore({ directory });
    const journal = await store.open(author.id, { owner: 'ours again' });
    expect(journal.end.seq).toBe(author.acknowledged.length + 1);
    const { fields } = await foldJournal(journal);
    expect(fields).toMatchObject({
      confirmationPolicy: { kind: 'AlwaysConfirm' },
      tags: { team: 'core' },
      executionStatus: 'paused',
    });
    await store.close();
  });

  test('P4: a safeguard that OpenHands does not name stays', async () => {
    const { directory, folder, author } = await own(2);
    const before = new FsStore({ directory });
    const ours = await before.open(author.id, { owner: 'ours' });
    const guards = {
      confirmationPolicy: { kind: 'AlwaysConfirm' },
      securityAnalyzer: { kind: 'PatternSecurityAnalyzer' },
      hookConfig: { stop: [{ matcher: '*', hooks: [{ type: 'command', command: './check.sh' }] }] },
      maxIterations: 7,
    } as const;
    await author.change(ours, { set: guards });
    await before.close();
    const base = json(join(folder, 'base_state.json'));
    for (const name of ['conv', 'confirmation_policy', 'security_analyzer', 'hook_config', 'max_iterations'])
      delete (base as Record<string, unknown>)[name];
    writeFileSync(join(folder, 'base_state.json'), JSON.stringify({ ...base, tags: { team: 'core' } }));
    const store = new FsStore({ directory });
    const journal = await store.open(author.id, { owner: 'ours again' });
    expect((await foldJournal(journal)).fields).toMatchObject({ ...guards, tags: { team: 'core' } });
    await store.close();
  });

  test('a damaged base_state.json of ours is not read, and it is written again', async () => {
    const { directory, folder, author } = await own(2);
    writeFileSync(join(folder, 'base_state.json'), '');
    const store = new FsStore({ directory });
    const journal = await store.open(author.id, { owner: 'ours again' });
    expect(journal.end.seq).toBe(author.acknowledged.length);
    await store.mirrorComplete(author.id);
    expect(json(join(folder, 'base_state.json'))['id']).toBe(author.id);
    await store.close();
  });

  test('P4: events of commits that the log lost come back from their files', async () => {
    const { directory, folder, author } = await own(4);
    const wal = join(folder, '.conv', 'epoch-00000001.wal');
    writeFileSync(wal, readFileSync(wal).subarray(0, statSync(wal).size - 10));
    const store = new FsStore({ directory });
    const journal = await store.open(author.id, { owner: 'ours again' });
    expect(await eventIds(journal)).toEqual(author.acknowledged.flatMap(({ events }) => events.map(({ id }) => id)));
    expect((await foldJournal(journal)).fields).toMatchObject({ damaged: true });
    await store.close();
  });
});

describe('the lease of OpenHands', () => {
  test('P2: a live lease is honoured', async () => {
    const { directory, folder, author } = await own(1);
    writeFileSync(join(folder, 'owner_lease.json'), lease({}));
    const store = new FsStore({ directory });
    const opening = store.open(author.id, { owner: 'ours' });
    await expect(opening).rejects.toMatchObject({ code: 'OWNED', owner: { epoch: 3 } });
    expect((await store.read(author.id))?.end.seq).toBe(2);
    await store.close();
  });

  test.each([
    ['expired', { expires_at: 1 }],
    ['of a dead process', { owner_host: hostname(), owner_pid: 2 ** 22 - 1 }],
    ['of this very pid, which was reused', { owner_host: hostname(), owner_pid: process.pid }],
  ])('P2: a lease that is %s is taken over with the next generation, and given up on closing', async (_, change) => {
    const { directory, folder, author } = await own(1);
    writeFileSync(join(folder, 'owner_lease.json'), lease(change));
    const store = new FsStore({ directory });
    await store.open(author.id, { owner: 'ours' });
    expect(json(join(folder, 'owner_lease.json'))).toMatchObject({
      generation: 4,
      owner_pid: process.pid,
      owner_host: hostname(),
    });
    await store.close();
    expect(existsSync(join(folder, 'owner_lease.json'))).toBe(false);
  });
});

test('members of our metadata stay that a server of OpenHands does not know and leaves out of meta.json', async () => {
  const { directory, folder, author } = await own(1);
  const extra = { baseState: {}, meta: { openhands: '>=1.54', user_id: 'one' } };
  const store = new FsStore({ directory });
  await author.change(await store.open(author.id, { owner: 'ours' }), { set: { extra } });
  await store.close();
  const { conv: _, openhands, ...known } = json(join(folder, 'meta.json'));
  expect(openhands).toBe('>=1.54');
  writeFileSync(join(folder, 'meta.json'), JSON.stringify({ ...known, user_id: 'another' }));
  const again = new FsStore({ directory });
  const { fields } = await foldJournal(await again.open(author.id, { owner: 'ours' }));
  expect(fields.extra.meta).toMatchObject({ openhands: '>=1.54', user_id: 'another' });
  await again.close();
});
