import { forCopy } from './begun-copies.ts';
import { assertStore } from '../store/assert-store.ts';
import { projections, checkOptionNames, type OptionNames } from '@conv/core';
import { isSameJson } from '@conv/core/platform';
import {
  type Commit,
  toConversationId,
  type ConversationStore,
  type Journal,
  type JournalReader,
  StoreError,
} from '@conv/core/store';

import { copiedBefore } from './copied-before.ts';
import { contentOf, damagedTarget, isCopy, other } from './copied-commits.ts';
import { filledCommits } from './filled-commits.ts';
import { at, readAt } from './sides.ts';
import { notInStore } from '../store/store-errors.ts';

/** The options of {@link copyConversation}. */
export interface CopyOptions {
  /** The name of the copier while it owns the copy. Default `copy`. */
  readonly owner?: string;
  /** Called for every commit that is handed to the target, with the number of commits up to it, and of all commits. */
  readonly onProgress?: (done: number, of: number) => void;
  /** Ends the copy early. The commits that are there stay, and the next call continues after them. */
  readonly signal?: AbortSignal;
}

const NAMES: OptionNames<CopyOptions> = { owner: true, onProgress: true, signal: true };

/** The result of a copy. */
export interface Copied {
  /** Commits that were written now. */
  readonly written: number;
  /** Commits that an earlier call had written. */
  readonly found: number;
  /** Events that both conversations hold. */
  readonly events: number;
}

/** The highest number of commits that wait for the store. */
const IN_FLIGHT = 64;

/**
 * Copies a conversation to another store, commit by commit: same numbers, same ids, same state at every commit. Resumes an
 * interrupted copy: compares the commits in it, and adds the new commits of the source. At the end it reads everything back from
 * the target and compares it, and the state that it comes to. Ciphertext is copied as it is. A loss that the log of the source
 * records is copied with its record: stand-ins with the same numbers are in the place of what is lost, and name the same spans
 * (decision 77).
 *
 * Rejects {@link StoreError} `NOT_FOUND` if the source does not have the conversation, `EXISTS` if the target holds a
 * conversation of this id that continues in another way, and `CORRUPT` if commits of the source are lost and its log does
 * not record that, or if the target reads back something else. Rejects `TOO_LARGE` if the target takes no commit with as many events as
 * a lost one had. Also rejects with the errors of both
 * stores, whose messages name the side, and with `signal.reason`.
 */
export async function copyConversation(
  id: string,
  from: ConversationStore,
  to: ConversationStore,
  options: CopyOptions = {},
): Promise<Copied> {
  checkOptionNames('copyConversation', options, NAMES);
  assertOther(from, to, 'copyConversation');
  const key = toConversationId(id);
  const source = await at('source', async () => {
    const found = await from.read(key);
    if (!found) throw notInStore(key);
    return found;
  });
  try {
    const limit = to.features.maxCommitBytes;
    await assertCopyable(source, key, limit);
    const before = await copiedBefore(source, to, key, options.signal);
    if (before) return { written: 0, found: before.seq, events: before.event };
    const signal = options.signal ? { signal: options.signal } : {};
    const target = await at('target', () => to.open(key, forCopy({ owner: options.owner ?? 'copy', ...signal })));
    try {
      const found = target.end.seq;
      const written = await copyCommits(source, target, { ...options, key, limit });
      await compare(source, target, key, limit);
      return { written, found, events: target.end.event };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/**
 * Throws `TypeError` if an argument is not a store, or if both are the same object. Does not recognise two objects on one
 * backend.
 */
export function assertOther(from: ConversationStore, to: ConversationStore, caller: string): void {
  assertStore(from, `${caller}: from`);
  assertStore(to, `${caller}: to`);
  if (from === to) throw new TypeError(`${caller}: to: expected another store than from, found the same object`);
}

/** Rejects `CORRUPT` for a source that cannot be copied from its beginning, before anything is made in the target. */
async function assertCopyable(source: JournalReader, key: string, limit: number): Promise<void> {
  for await (const _ of readAt('source', filledCommits(source, key, limit))) return;
}

async function copyCommits(
  source: JournalReader,
  target: Journal,
  { key, limit, onProgress, signal }: CopyOptions & { readonly key: string; readonly limit: number },
): Promise<number> {
  const existing = readAt('target', target.commits());
  const pending: Promise<unknown>[] = [];
  const end = source.end.seq;
  let projection = projections.empty;
  let refused: { readonly reason: unknown } | undefined;
  let written = 0;
  try {
    for await (const { commit, standsIn } of readAt('source', filledCommits(source, key, limit))) {
      signal?.throwIfAborted();
      projection = await at('source', () => projections.foldCommit(source, projection, commit));
      const known = await existing.next();
      if (known.done === true) {
        if (pending.length >= IN_FLIGHT) await pending.shift();
        // After the refusal was reported, the target would store this commit in the place of the refused one.
        if (refused) throw refused.reason;
        const after = projection.fields;
        const appended = at('target', () => target.append(contentOf(commit), after));
        appended.catch((reason: unknown) => (refused ??= { reason }));
        pending.push(appended);
        written++;
        onProgress?.(commit.seq + 1, end);
      } else if (!isCopy(known.value, commit, standsIn)) throw other(key, target, commit);
    }
    if ((await existing.next()).done !== true) throw other(key, target, undefined);
    if (target.damage.length > 0) throw damagedTarget(key, target);
    await Promise.all(pending);
    return written;
  } finally {
    await existing.return?.();
    await Promise.allSettled(pending);
  }
}

/** Reads the copy back and compares it. Rejects `CORRUPT` if it differs. */
async function compare(source: JournalReader, target: Journal, key: string, limit: number): Promise<void> {
  const copied = readAt('target', target.commits());
  let projection = projections.empty;
  try {
    for await (const { commit, standsIn } of readAt('source', filledCommits(source, key, limit))) {
      const { value } = await copied.next();
      if (value === undefined || !isCopy(value as Commit, commit, standsIn))
        throw new StoreError(
          'CORRUPT',
          `commit ${commit.seq} does not read back from the target as it was written; check the target, and copy again`,
        );
      projection = await at('source', () => projections.foldCommit(source, projection, commit));
    }
  } finally {
    await copied.return?.();
  }
  const { fields } = await at('target', () => projections.readState(target));
  if (!isSameJson(fields, projection.fields))
    throw new StoreError(
      'CORRUPT',
      'the copy in the target does not come to the same state; check the target, and copy again',
    );
}
