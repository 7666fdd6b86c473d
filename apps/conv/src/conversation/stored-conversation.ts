import { projections, ConversationState, foldJournal } from '@conv/core';
import type { ConversationStore } from '@conv/core/store';
import type { PastStates } from '@conv/local';
import { createSecretVault } from '@conv/secrets';

import { exitCodes } from '../exit-code.ts';
import { CommandError } from '../command-error.ts';
import { allConversations } from './all-conversations.ts';
import { atRest } from './at-rest.ts';
import type { ReadableConversation } from './readable-conversation.ts';
import { warnOf } from './finding-text.ts';
import { openedStore } from './opened-store.ts';
import { idOf } from './short-id.ts';
import { placeText } from './home.ts';

/** A stored conversation for reading. It takes no ownership, so its writer is not disturbed. */
export interface StoredConversation extends ReadableConversation {
  readonly state: ConversationState;
  readonly past: PastStates;
}

/** Opens a conversation of the store at an address for reading. `id` may be the start of one. Rejects {@link CommandError} when there is none. */
export async function readConversation(address: string, id: string): Promise<StoredConversation> {
  const opened = await openedStore(address, warnOf);
  const { store } = opened;
  try {
    const full = await fullId(store, id);
    const reader = await store.read(full);
    if (!reader) throw notFound(full, address);
    // lists read no past
    const { PastStates, readOnlyJournal } = await import('@conv/local');
    const journal = readOnlyJournal(reader);
    // from the first commit on, so that all damage is found
    await foldJournal(journal);
    const projection = await projections.readState(journal);
    // the log may hold a secret from before its value was registered
    const vault = createSecretVault(atRest());
    vault.load(projection.fields);
    const state = new ConversationState({ masker: vault.masker }, journal, projection);
    return {
      id: full,
      state,
      events: state.events,
      past: new PastStates(state),
      get damage() {
        return state.damage;
      },
      [Symbol.asyncDispose]: () => opened.close(),
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** The whole id of the one conversation of a store whose id begins so. Rejects {@link CommandError}. */
export function fullId(store: ConversationStore, id: string): Promise<string> {
  return idOf(id, () => allConversations(store));
}

function notFound(id: string, address: string): CommandError {
  return new CommandError(
    exitCodes.notFound,
    `there is no conversation ${id} in ${placeText(address)}; check the id, or list the conversations`,
  );
}
