import { hostname } from 'node:os';
import { checks, ConversationError, ConversationState, type SecretVault } from '@conv/core';
import { isStoreError, type ConversationStore, type Journal, type StoreError } from '@conv/core/store';

import type { LocalConversationOptions } from '../options/conversation-options.ts';
import { isStore } from '../options/check-options.ts';
import { pickSecrets } from '../safeguards/conversation-secrets.ts';
import type { OpenPlan } from './open-plan.ts';
import { fillVault } from './vault.ts';

/** Makes the store for a folder. Throws `TypeError` when `storeAt` returns no store. */
export function storeFrom(
  storeAt: (persistenceDir: string) => ConversationStore,
  directory: string,
): ConversationStore {
  const store = storeAt(directory);
  if (isStore(store)) return store;
  throw new TypeError(
    checks.wrongValue('local: storeAt', 'it to return a store, such as new FsStore({ directory })', store),
  );
}

/** The error of a store that `storeAt` returned and that was closed before. */
export function usedAgain(cause: StoreError): TypeError {
  return new TypeError(
    'local: storeAt: expected a new store each time, because each conversation closes its own, found one that is closed; pass a store that conversations share as their option store',
    { cause },
  );
}

/** Opens the state of the journal, masked from its first commit on. */
export async function openState(
  journal: Journal,
  plan: OpenPlan,
  options: LocalConversationOptions,
  vault: SecretVault | undefined,
): Promise<ConversationState> {
  const given = { masker: vault?.masker, platform: options.platform };
  if (vault && journal.end.seq === 0) {
    const { secretRegistry = {}, hiddenValues = [] } = plan.initial;
    fillVault(vault, { secretRegistry, hiddenValues }, options);
    return ConversationState.open(journal, { ...plan.initial, ...pickSecrets(vault.stored) }, given);
  }
  const state = await ConversationState.open(journal, plan.initial, given);
  if (state.id !== plan.id && state.id !== '')
    throw new ConversationError(
      'ID_MISMATCH',
      `expected conversation ${plan.id}, found ${state.id} in its place; the store mixed them up`,
    );
  return state;
}

/** Opens the journal of a conversation, or creates it. Rejects `AGENT_REQUIRED` if it is new and no agent was given. */
export async function openJournal(
  store: ConversationStore,
  id: string,
  options: LocalConversationOptions,
): Promise<Journal> {
  const { owner = `pid ${process.pid} on ${hostname()}` } = options;
  const signal = options.signal ? { signal: options.signal } : {};
  if (options.agent) return store.open(id, { create: options.create ?? 'ifMissing', owner, ...signal });
  if (options.create === 'must') throw agentForNew(id);
  try {
    return await store.open(id, { create: 'never', owner, ...signal });
  } catch (error) {
    if (options.create === 'never' || !isStoreError(error, 'NOT_FOUND')) throw error;
    throw agentForNew(id, error);
  }
}

/** Returns the error for a missing conversation. Names the place, because another folder is the usual reason. */
export function notThere(
  { id, directory }: OpenPlan,
  { store }: LocalConversationOptions,
  cause: unknown,
): ConversationError {
  const place = store ? 'the store that was given' : directory;
  const help = `${store ? 'give the store' : 'give persistenceDir, the folder'} that holds it, or make a new one with create instead of resume`;
  return new ConversationError('NOT_FOUND', `there is no conversation ${id} in ${place}; ${help}`, {
    cause,
    conversationId: id,
  });
}

function agentForNew(id: string, cause?: unknown): ConversationError {
  return new ConversationError(
    'AGENT_REQUIRED',
    `conversation ${id} is new, and a new one needs an agent; give agent: createAgent({ model, tools })`,
    { cause },
  );
}
