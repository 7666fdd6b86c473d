import { projections } from '@conv/core';
import { isSameJson } from '@conv/core/platform';
import { isStoreError, type ConversationStore, type JournalEnd, type JournalReader } from '@conv/core/store';
import { isCopy, other } from './copied-commits.ts';
import { filledCommits } from './filled-commits.ts';
import { at, readAt } from './sides.ts';

/**
 * Compares the target's part of a conversation without owning it, so that a copy that is refused or has nothing to write changes
 * nothing in the target. Resolves with the target's end if it holds everything, and `undefined` if only an owner of the target
 * can continue. Rejects `EXISTS` if the target continues in another way.
 */
export async function copiedBefore(
  source: JournalReader,
  to: ConversationStore,
  key: string,
  signal: AbortSignal | undefined,
): Promise<JournalEnd | undefined> {
  const target = await at('target', () => readIfThere(to, key));
  if (!target) return undefined;
  try {
    const isWhole = await compare(source, target, { key, limit: to.features.maxCommitBytes, signal });
    return isWhole ? target.end : undefined;
  } finally {
    await target.close();
  }
}

/**
 * Reads a conversation. Resolves `undefined` for a conversation that reading refuses, such as an interrupted copy of a fork;
 * opening it for a copy settles it.
 */
async function readIfThere(store: ConversationStore, key: string): Promise<JournalReader | undefined> {
  try {
    return await store.read(key);
  } catch (error) {
    if (isStoreError(error, 'CORRUPT')) return undefined;
    throw error;
  }
}

interface Compared {
  readonly key: string;
  readonly limit: number;
  readonly signal: AbortSignal | undefined;
}

/** Resolves with true if the target holds all of the source and nothing else. Opening a damaged target may restore it. */
async function compare(
  source: JournalReader,
  target: JournalReader,
  { key, limit, signal }: Compared,
): Promise<boolean> {
  const existing = readAt('target', target.commits());
  let projection = projections.empty;
  try {
    for await (const { commit, standsIn } of readAt('source', filledCommits(source, key, limit))) {
      signal?.throwIfAborted();
      projection = await at('source', () => projections.foldCommit(source, projection, commit));
      const known = await existing.next();
      if (known.done === true || target.damage.length > 0) return false;
      if (!isCopy(known.value, commit, standsIn)) throw other(key, target, commit);
    }
    const isLonger = (await existing.next()).done !== true;
    if (target.damage.length > 0) return false;
    if (isLonger) throw other(key, target, undefined);
  } finally {
    await existing.return?.();
  }
  const { fields } = await at('target', () => projections.readState(target));
  return isSameJson(fields, projection.fields);
}
