import { randomUUID } from 'node:crypto';
import { toConversationKey, type Commit } from '@conv/core/store';
import {
  everything,
  nothingUnsynced,
  onlyData,
  onlyNames,
  onlyNewest,
  randomly,
  SimulatedDisk,
  type Survival,
} from '@conv/testing-disk';
import { FsStore } from '../../src/index.ts';
import { encodeOwner, readOwner } from '../../src/log/owner-file.ts';
import { Author, message } from './conversation-author.ts';

export const ROOT = '/store';

/** The facts about a conversation that a survivor must hold. */
export interface Expected {
  readonly id: string;
  /** The ids of the acknowledged commits, in order. */
  readonly commits: readonly string[];
  /** AlwaysConfirm was acknowledged. */
  readonly strict: boolean;
  /** Deleting it was acknowledged. */
  readonly deleted: boolean;
  /** `false`: nothing was acknowledged that has to be seen in the files for OpenHands. */
  readonly mirrored?: boolean;
  /** The ids of commits that were rejected as not stored. */
  readonly rejected?: readonly string[];
  /** Events that OpenHands wrote and that were there before the run. */
  readonly foreign: readonly string[];
}

/** A disk after a loss of power, and what had been acknowledged by then. */
export interface Survivor {
  readonly disk: SimulatedDisk;
  readonly at: string;
  readonly expected: readonly Expected[];
}

/** Everything that was acknowledged so far. */
class Ledger {
  readonly #entries = new Map<string, Expected>();

  update(id: string, change: Partial<Expected>): void {
    const before = this.#entries.get(id) ?? { id, commits: [], strict: false, deleted: false, foreign: [] };
    this.#entries.set(id, { ...before, ...change });
  }

  get now(): readonly Expected[] {
    return [...this.#entries.values()];
  }
}

const kinds: readonly [string, (operation: number) => Survival][] = [
  ['nothing unsynced', () => nothingUnsynced],
  ['everything', () => everything],
  ['names only', () => onlyNames],
  ['data only', () => onlyData],
  ['newest writes only', () => onlyNewest],
  ['some', (operation) => randomly(operation * 7 + 1)],
  ['other', (operation) => randomly(operation * 13 + 5)],
];

/** A run of a store with every kind of operation; loses power after each one. `without`: syncs left out. */
export async function recordRun(without: ReadonlySet<string>): Promise<Survivor[]> {
  const ledger = new Ledger();
  const survivors: Survivor[] = [];
  let operation = 0;
  const observe = (last: { kind: string; path: string; site?: string }, disk: SimulatedDisk): void => {
    operation++;
    for (const [name, survival] of kinds) {
      const at = `operation ${operation} (${last.kind} ${last.path} ${last.site ?? ''}), surviving: ${name}`;
      survivors.push({ disk: disk.crash(survival(operation)), at, expected: ledger.now });
    }
  };
  const disk = new SimulatedDisk({ without, observe });
  await performRun(disk, ledger);
  return survivors;
}

async function performRun(disk: SimulatedDisk, ledger: Ledger): Promise<void> {
  const author = new Author();
  const note = (): void => ledger.update(author.id, { commits: idsOf(author.acknowledged), strict: isStrict(author) });
  const store = new FsStore({ directory: ROOT, disk });
  const first = await store.open(author.id, { owner: 'first' });
  await author.begin(first).then(note);
  await Promise.all(['a', 'b', 'c'].map((text) => author.say(first, text).then(note)));
  await first.saveSnapshot({ seq: first.end.seq, version: 1, data: { seen: 4 } });
  await author.change(first, { set: { confirmationPolicy: { kind: 'AlwaysConfirm' } } }).then(note);
  await author.say(first, 'd').then(note);
  const next = new FsStore({ directory: ROOT, disk });
  bury(disk, author.id);
  const second = await next.open(author.id, { owner: 'second' });
  await Promise.all(['e', 'f'].map((text) => author.say(second, text).then(note)));
  await second.close();
  await forkAndDelete(disk, next, author, ledger);
  await importFolder(disk, next, ledger);
  await Promise.all([store.close(), next.close()]);
}

async function forkAndDelete(disk: SimulatedDisk, store: FsStore, author: Author, ledger: Ledger): Promise<void> {
  const whole = randomUUID();
  const part = randomUUID();
  await store.fork(author.id, whole, { patch: { set: { id: whole } } });
  ledger.update(whole, { commits: idsOf(author.acknowledged), strict: true });
  await store.fork(author.id, part, {
    from: author.acknowledged[2]?.events[0]?.id ?? '',
    patch: { set: { id: part } },
  });
  ledger.update(part, { strict: true, commits: await storedIds(store, part) });
  await store.mirrorComplete(whole);
  // While the conversation is being deleted it may be there or not.
  ledger.update(part, { commits: [] });
  await store.delete(part);
  ledger.update(part, { deleted: true });
}

/** A folder as OpenHands leaves it, durable before the run continues. */
async function importFolder(disk: SimulatedDisk, store: FsStore, ledger: Ledger): Promise<void> {
  const id = randomUUID();
  const folder = `${ROOT}/${toConversationKey(id)}`;
  disk.makeFolder(folder);
  disk.makeFolder(`${folder}/events`);
  const one = message('one', null);
  const two = message('two', one.id);
  const base = {
    id,
    agent: {},
    workspace: { kind: 'LocalWorkspace', working_dir: '/' },
    confirmation_policy: { kind: 'AlwaysConfirm' },
    leaf_event_id: two.id,
  };
  await putFile(disk, `${folder}/base_state.json`, JSON.stringify(base));
  await putFile(disk, `${folder}/events/event-00000-${one.id}.json`, JSON.stringify(one));
  await putFile(disk, `${folder}/events/event-00003-${two.id}.json`, JSON.stringify(two));
  for (const place of [`${folder}/events`, folder, ROOT]) await disk.syncFolder(place, 'test');
  // The state that OpenHands left holds in the files until ours replace them.
  ledger.update(id, { strict: true, mirrored: false, foreign: [one.id, two.id] });
  const journal = await store.open(id, { owner: 'importer' });
  ledger.update(id, { commits: await storedIds(store, id) });
  await journal.close();
}

async function putFile(disk: SimulatedDisk, path: string, text: string): Promise<void> {
  const file = disk.open(path, 'create');
  disk.write(file, Buffer.from(text), 0);
  await disk.sync(file, 'test');
  disk.close(file);
}

/** Changes the owner record so that its process ran before the machine went down. */
export function bury(disk: SimulatedDisk, id: string): void {
  const path = `${ROOT}/${toConversationKey(id)}/.conv/owner.json`;
  const record = readOwner(disk, path);
  if (!record) return;
  const file = disk.open(path, 'update');
  disk.write(file, encodeOwner({ ...record, process: { ...record.process, bootId: 'an earlier boot' } }), 0);
  disk.close(file);
}

async function storedIds(store: FsStore, id: string): Promise<string[]> {
  const reader = await store.read(id);
  const ids: string[] = [];
  if (reader) for await (const commit of reader.commits()) ids.push(commit.id);
  await reader?.close();
  return ids;
}

function idsOf(commits: readonly Commit[]): string[] {
  return commits.toSorted((a, b) => a.seq - b.seq).map(({ id }) => id);
}

function isStrict(author: Author): boolean {
  return author.fields.confirmationPolicy['kind'] === 'AlwaysConfirm';
}
