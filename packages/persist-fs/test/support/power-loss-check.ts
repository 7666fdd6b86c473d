import { foldJournal, type JsonObject } from '@conv/core';
import { toConversationKey, type Journal } from '@conv/core/store';
import type { SimulatedDisk } from '@conv/testing-disk';
import { FsStore } from '../../src/index.ts';
import { readFile } from '../../src/disk/whole-file.ts';
import { Author, commitIds } from './conversation-author.ts';
import { bury, ROOT, type Expected, type Survivor } from './power-loss-run.ts';

/** Resolves with the promises that a survivor breaks; with none if every promise is kept. */
export async function violations({ disk, at, expected }: Survivor): Promise<string[]> {
  const found: string[] = [];
  const store = new FsStore({ directory: ROOT, disk });
  for (const one of expected) {
    bury(disk, one.id);
    try {
      const wrong = one.deleted ? await checkDeleted(store, one) : await checkKept(disk, store, one);
      if (wrong !== undefined) found.push(`${at}: ${one.id}: ${wrong}`);
    } catch (error) {
      found.push(`${at}: ${one.id}: ${String(error)}`);
    }
  }
  await store.close();
  return found;
}

async function checkDeleted(store: FsStore, { id }: Expected): Promise<string | undefined> {
  return (await store.read(id)) ? 'is back' : undefined;
}

async function checkKept(disk: SimulatedDisk, store: FsStore, one: Expected): Promise<string | undefined> {
  const misleading = one.commits.length > 0 && one.mirrored !== false ? checkMirror(disk, one) : undefined;
  if (misleading !== undefined) return misleading;
  if (one.commits.length === 0 && one.foreign.length === 0) return undefined;
  const reader = await store.read(one.id);
  if (!reader) return 'is gone';
  const ids = await commitIds(reader);
  const wrong = isContinued(ids, one.commits, 'a reader') ?? hasRejected(ids, one);
  await reader.close();
  if (wrong !== undefined) return wrong;
  const journal = await store.open(one.id, { create: 'never', owner: 'check' });
  try {
    return await checkJournal(journal, one);
  } finally {
    await journal.close();
  }
}

async function checkJournal(journal: Journal, one: Expected): Promise<string | undefined> {
  const { fields } = await foldJournal(journal);
  if (one.strict && fields.confirmationPolicy['kind'] !== 'AlwaysConfirm') return 'the policy is weaker';
  if (journal.damage.length > 0) return `damage: ${journal.damage[0]?.reason}`;
  const events: string[] = [];
  for await (const commit of journal.commits()) events.push(...commit.events.map(({ id }) => id));
  if (new Set(events).size !== events.length) return 'an event is doubled';
  for (const id of events) if ((await journal.locate(id)) !== events.indexOf(id)) return `event ${id} is not located`;
  if (one.foreign.some((id, at) => events[at] !== id)) return 'an imported event is missing';
  const seq = (await journal.snapshot())?.seq ?? 0;
  if (seq > journal.end.seq) return 'a snapshot is ahead of the log';
  await new Author(one.id).say(journal, 'goes on');
  return isContinued(await commitIds(journal), one.commits, 'the next owner');
}

/**
 * Finds a violation unless everything acknowledged is there, once and in order. Commits that were not acknowledged may
 * follow.
 */
function isContinued(ids: readonly string[], acknowledged: readonly string[], who: string): string | undefined {
  if (new Set(ids).size !== ids.length) return `${who} finds a commit doubled`;
  const missing = acknowledged.findIndex((id, at) => ids[at] !== id);
  return missing < 0 ? undefined : `${who} misses commit ${missing} of ${acknowledged.length}, there are ${ids.length}`;
}

function hasRejected(ids: readonly string[], { rejected = [] }: Expected): string | undefined {
  return rejected.some((id) => ids.includes(id)) ? 'a commit that was rejected is stored' : undefined;
}

/** Finds a violation unless the files for OpenHands are whole, and no weaker than what was acknowledged. */
function checkMirror(disk: SimulatedDisk, { id, strict }: Expected): string | undefined {
  for (const name of ['base_state.json', 'meta.json']) {
    const text = readFile(disk, `${ROOT}/${toConversationKey(id)}/${name}`).toString();
    const policy = (JSON.parse(text) as JsonObject)['confirmation_policy'] as JsonObject;
    if (strict && policy['kind'] !== 'AlwaysConfirm') return `${name} shows a weaker policy`;
  }
  return undefined;
}
