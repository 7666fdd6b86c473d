import { checkOptionNames, type OptionNames } from '@conv/core';
import { allConversationIds } from '../store/all-conversations.ts';
import { assertOther, copyConversation, type Copied, type CopyOptions } from './copy-conversation.ts';
import { cannotBeFound, incompleteIn } from '../store/incomplete.ts';
import { at, isAt } from './sides.ts';
import { type ConversationStore, isStoreError, type StoreError } from '@conv/core/store';

/** The options of {@link copyStore}. */
export interface StoreCopyOptions extends Omit<CopyOptions, 'onProgress'> {
  /** Called now and then with the progress: commits of one conversation, and conversations. */
  readonly onProgress?: (progress: StoreCopyProgress) => void;
}

const NAMES: OptionNames<StoreCopyOptions> = { owner: true, onProgress: true, signal: true };

const NOT_COPIED = { written: 0, found: 0, events: 0 };

/** The progress of a copy of a store. */
export interface StoreCopyProgress {
  readonly id: string;
  readonly done: number;
  readonly of: number;
  readonly conversations: { readonly done: number; readonly of: number };
}

/** The result of one conversation. */
export interface CopiedConversation extends Copied {
  readonly id: string;
  /** The reason why it could not be copied, or not to its end; `undefined` if both stores hold the same. */
  readonly error: StoreError | undefined;
}

/**
 * Copies every conversation of a store to another store, each as it is when its turn comes, even while it is written. A
 * later call compares what is there, adds what is new, and continues where the earlier call was broken off. An error of
 * one conversation becomes its result, so that the others are copied too. A conversation that lists leave out because a record
 * of it is lost is copied, or has an error as its result. Rejects `CORRUPT` at the end if the id of a conversation is lost.
 */
export async function* copyStore(
  from: ConversationStore,
  to: ConversationStore,
  given: StoreCopyOptions = {},
): AsyncGenerator<CopiedConversation, void, undefined> {
  checkOptionNames('copyStore', given, NAMES);
  assertOther(from, to, 'copyStore');
  const { onProgress, ...options } = given;
  const incomplete = await at('source', () => incompleteIn(from));
  const listed = await at('source', () => allConversationIds(from));
  const ids = [...new Set([...listed, ...incomplete.flatMap(({ id }) => id ?? [])])].sort();
  for (const [at, id] of ids.entries()) {
    const conversations = { done: at, of: ids.length };
    const told = onProgress && ((done: number, of: number) => onProgress({ id, done, of, conversations }));
    const copied = await copyOne(id, from, to, { ...options, ...(told && { onProgress: told }) });
    if (copied) yield { id, ...copied };
    else if (incomplete.some((one) => one.id === id))
      yield { id, ...NOT_COPIED, error: cannotBeFound(incomplete.filter((one) => one.id === id)) };
  }
  const nameless = incomplete.filter(({ id }) => id === undefined);
  if (nameless.length > 0) throw cannotBeFound(nameless);
}

async function copyOne(
  id: string,
  from: ConversationStore,
  to: ConversationStore,
  options: CopyOptions,
): Promise<Omit<CopiedConversation, 'id'> | undefined> {
  options.signal?.throwIfAborted();
  try {
    return { ...(await copyConversation(id, from, to, options)), error: undefined };
  } catch (error) {
    if (!isStoreError(error) || error.code === 'CLOSED' || options.signal?.aborted) throw error;
    // It was deleted since the list was made.
    if (error.code === 'NOT_FOUND' && isAt('source', error)) return undefined;
    return { ...NOT_COPIED, error };
  }
}
