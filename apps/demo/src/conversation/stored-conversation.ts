import { ConversationState, foldJournal } from '@conv/core';
import { type ConversationStore, type ConversationSummary, type Damage, toConversationId } from '@conv/core/store';

import { createSecretVault } from '@conv/secrets';

import { exitCodes } from '../exit-code.ts';
import { CommandError } from '../failure.ts';
import { atRest } from './at-rest.ts';
import { storeAt } from './conversation-factory.ts';
import { ReadOnlyJournal } from './read-only-journal.ts';

/** A conversation to look at: no ownership is taken, whoever writes it is not disturbed. */
export interface StoredConversation extends AsyncDisposable {
  readonly id: string;
  readonly state: ConversationState;
  /** What could not be read so far. */
  readonly damage: readonly Damage[];
}

/** Opens a conversation for reading. `id` may be the start of one. Rejects {@link CommandError} when there is none. */
export async function readConversation(directory: string, id: string): Promise<StoredConversation> {
  const store = storeAt(directory);
  try {
    const full = await fullId(store, id);
    const reader = await store.read(full);
    if (!reader) throw notFound(full, directory);
    const journal = new ReadOnlyJournal(reader);
    const projection = await foldJournal(journal);
    // what was said before it was known to be a secret is in the log as it was said
    const vault = createSecretVault(atRest());
    vault.load(projection.fields);
    return {
      id: full,
      state: new ConversationState({ masker: vault.masker }, journal, projection),
      get damage() {
        return journal.damage;
      },
      [Symbol.asyncDispose]: () => store.close(),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Every conversation of a store, the last changed first. */
export async function allConversations(store: ConversationStore): Promise<readonly ConversationSummary[]> {
  const all: ConversationSummary[] = [];
  let page: string | undefined;
  do {
    const { items, next } = await store.list({ limit: 100, ...(page === undefined ? {} : { page }) });
    all.push(...items);
    page = next;
  } while (page !== undefined);
  return all;
}

const WHOLE_ID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;
const START_OF_ID = /^[0-9a-f]{4,8}(-[0-9a-f-]{0,26})?$/;

/** The whole id of the one conversation whose id begins so. Rejects {@link CommandError}. */
export async function fullId(store: ConversationStore, id: string): Promise<string> {
  if (WHOLE_ID.test(id)) return toConversationId(id);
  if (!START_OF_ID.test(id))
    throw new CommandError(
      exitCodes.usage,
      `${JSON.stringify(id)} is no id, nor the start of one (4 characters or more)`,
    );
  const matches = (await allConversations(store)).filter((each) => each.id.startsWith(id));
  const [match, other] = matches;
  if (match && !other) return match.id;
  if (match)
    throw new CommandError(exitCodes.usage, `${matches.length} conversations begin with ${id}; give more of it`);
  throw new CommandError(exitCodes.notFound, `no conversation begins with ${id}`);
}

function notFound(id: string, directory: string): CommandError {
  return new CommandError(exitCodes.notFound, `there is no conversation ${id} in ${directory}`);
}
