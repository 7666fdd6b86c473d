import { checkOptionNames, type OptionNames } from '@conv/core';
import { allConversationIds } from './all-conversations.ts';
import {
  type CheckedConversation,
  type CheckOptions,
  type CheckProgress,
  type Finding,
  toConversationId,
  type ConversationStore,
  type StoreError,
  isStoreError,
} from '@conv/core/store';

/** How {@link checkStore} looks. */
export interface StoreCheckOptions {
  /** See {@link CheckOptions.repair}. */
  readonly repair?: boolean;
  /**
   * Go on behind this conversation, where a check before was broken off. What all share is not looked at again. Rejects `INVALID_ID`
   * for what is no id.
   */
  readonly after?: string;
  /** Ends the check early: it throws `signal.reason`. */
  readonly signal?: AbortSignal;
  /** Told now and then how far the check has come: within one conversation, and among all. */
  readonly onProgress?: (progress: StoreCheckProgress) => void;
}

const NAMES: OptionNames<StoreCheckOptions> = { repair: true, after: true, signal: true, onProgress: true };

/** How far a check of a store has come. */
export interface StoreCheckProgress extends CheckProgress {
  /** The conversation that is being read; `undefined`: what all share. */
  readonly id: string | undefined;
  /** Conversations that are done, and how many there are. */
  readonly conversations: { readonly done: number; readonly of: number };
}

/**
 * Checks a store as a whole: first what all conversations share, then each in the order of their ids. What one conversation rejects
 * becomes its result, so that the others are looked at too; what is deleted meanwhile has none. A store that does not answer at all throws.
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
  checkOptionNames('checkStore', given, NAMES);
  const { after: start, onProgress, ...options } = given;
  const after = start === undefined ? undefined : toConversationId(start);
  const told = (id: string | undefined, done: number, of: number): CheckOptions => ({
    ...options,
    ...(onProgress && { onProgress: (progress) => onProgress({ ...progress, id, conversations: { done, of } }) }),
  });
  if (after === undefined) yield await checkOne(store, undefined, told(undefined, 0, 0));
  const ids = await allConversationIds(store);
  const gone: CheckedConversation[] = [];
  for (const [at, id] of ids.entries()) {
    if (after !== undefined && id <= after) continue;
    const checked = await checkOne(store, id, told(id, at, ids.length));
    if (isStoreError(checked.error, 'NOT_FOUND')) gone.push(checked);
    else yield checked;
  }
  if (gone.length === 0) return;
  // What was deleted since the list was made is nothing to tell; what is listed and not there is.
  const listed = new Set(await allConversationIds(store));
  for (const checked of gone) if (checked.id !== undefined && listed.has(checked.id)) yield checked;
}

async function checkOne(
  store: ConversationStore,
  id: string | undefined,
  options: CheckOptions,
): Promise<CheckedConversation> {
  options.signal?.throwIfAborted();
  const nothing = { id, commits: 0, events: 0, findings: [] };
  try {
    return { id, ...(await store.check(id, options)), error: undefined };
  } catch (error) {
    // An abort, and what no store rejects, is not about this conversation.
    if (!isStoreError(error) || error.code === 'CLOSED' || options.signal?.aborted) throw error;
    if (error.code === 'CORRUPT') return { ...nothing, findings: [beyondReading(error)], error: undefined };
    return { ...nothing, error };
  }
}

function beyondReading({ message }: StoreError): Finding {
  return { part: 'log', severity: 'lost', message, repaired: false };
}
