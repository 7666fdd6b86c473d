import { assertStore } from '../store/assert-store.ts';
import { checkOptionNames, type OptionNames } from '@conv/core';
import { allConversationIds } from '../store/all-conversations.ts';
import {
  type CheckedConversation,
  type CheckOptions,
  type Finding,
  toConversationId,
  type ConversationStore,
  type StoreError,
  isStoreError,
} from '@conv/core/store';

/** The options of {@link checkStore}. */
export interface StoreCheckOptions {
  /** See {@link CheckOptions.repair}. */
  readonly repair?: boolean;
  /**
   * Starts after this conversation, where an earlier check was broken off. The records that all conversations share
   * are not checked again. Rejects `INVALID_ID` for a text that is not an id.
   */
  readonly after?: string;
  /** Ends the check early: it throws `signal.reason`. */
  readonly signal?: AbortSignal;
  /** Called at intervals with the progress within one conversation and among all conversations. */
  readonly onProgress?: (progress: StoreCheckProgress) => void;
}

const NAMES: OptionNames<StoreCheckOptions> = { repair: true, after: true, signal: true, onProgress: true };

/** The progress of a check of a store. */
export interface StoreCheckProgress {
  /** Commits that were read. */
  readonly done: number;
  /** Commits of the log, damaged commits included. */
  readonly of: number;
  /** The conversation that is being read; `undefined` for the records that all conversations share. */
  readonly id: string | undefined;
  /** The number of conversations that are done, and of all conversations. */
  readonly conversations: { readonly done: number; readonly of: number };
}

/**
 * Checks a store as a whole: first the records that all conversations share, then each conversation in the order of the
 * ids. An error of one conversation becomes its result, so that the others are checked too; see {@link checkConversation}. A conversation that is
 * deleted meanwhile has no result. Throws if the store does not answer at all.
 *
 * @example
 * ```ts
 * for await (const { id, findings } of checkStore(store)) {
 *   for (const { part, message } of findings) console.log(id, part, message);
 * }
 * ```
 */
export async function* checkStore(
  store: ConversationStore,
  given: StoreCheckOptions = {},
): AsyncGenerator<CheckedConversation, void, undefined> {
  assertStore(store, 'checkStore: store');
  checkOptionNames('checkStore', given, NAMES);
  const { after: start, onProgress, ...options } = given;
  const after = start === undefined ? undefined : toConversationId(start);
  const told = (id: string | undefined, done: number, of: number): CheckOptions => ({
    ...options,
    ...(onProgress && { onProgress: (progress) => onProgress({ ...progress, id, conversations: { done, of } }) }),
  });
  if (after === undefined) yield await checkConversation(store, undefined, told(undefined, 0, 0));
  const ids = await allConversationIds(store);
  const gone: CheckedConversation[] = [];
  for (const [at, id] of ids.entries()) {
    if (after !== undefined && id <= after) continue;
    const checked = await checkConversation(store, id, told(id, at, ids.length));
    if (isStoreError(checked.error, 'NOT_FOUND')) gone.push(checked);
    else yield checked;
  }
  if (gone.length === 0) return;
  // A conversation that was deleted since the list was made has no result. If it is still listed, it is missing, and
  // that is a result.
  const listed = new Set(await allConversationIds(store));
  for (const checked of gone) if (checked.id !== undefined && listed.has(checked.id)) yield checked;
}

/**
 * Checks one conversation, or with `undefined` the records that all conversations share. An error of the store becomes the result. A repair of
 * a conversation that another process owns checks only: the result has the findings, and `OWNED` as the error if there is
 * something to repair.
 */
export async function checkConversation(
  store: ConversationStore,
  id: string | undefined,
  options: CheckOptions = {},
): Promise<CheckedConversation> {
  assertStore(store, 'checkConversation: store');
  options.signal?.throwIfAborted();
  const nothing = { id, commits: 0, events: 0, findings: [] };
  try {
    return { id, ...(await store.check(id, options)), error: undefined };
  } catch (error) {
    // An abort, and an error that no store rejects with, is not about this conversation.
    if (!isStoreError(error) || error.code === 'CLOSED' || options.signal?.aborted) throw error;
    if (error.code === 'CORRUPT') return { ...nothing, findings: [beyondReading(error)], error: undefined };
    if (error.code !== 'OWNED' || options.repair !== true) return { ...nothing, error };
    const checked = await checkConversation(store, id, { ...options, repair: false });
    const isWhole = checked.findings.every(({ severity }) => severity === 'known');
    return isWhole ? checked : { ...checked, error };
  }
}

function beyondReading({ message }: StoreError): Finding {
  return { part: 'log', severity: 'lost', message, repaired: false };
}
