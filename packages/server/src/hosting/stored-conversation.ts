import {
  projections,
  ConversationState,
  foldJournal,
  type Cipher,
  type ConversationView,
  type MissingSecret,
  type Projection,
  type SecretVaultFactory,
  type StateFields,
} from '@conv/core';
import type { Platform } from '@conv/core/platform';
import type { ConversationStore, JournalReader } from '@conv/core/store';
import type { PastStates } from '@conv/local';

/** A conversation to read: loaded here, or read from its store without taking ownership. */
export interface Reading extends AsyncDisposable {
  /** A dashed UUID. */
  readonly id: string;
  /** The newest durable state; its status is `running` from the moment at which a run was accepted here. */
  readonly fields: StateFields;
  /** Durable events and the newest durable state, secrets masked; read-only. */
  readonly state: Pick<ConversationState, 'events' | 'end' | 'mask' | 'fields'> & ConversationView;
  /** Commits and earlier states of the log, secrets masked. */
  readonly past: PastStates;
  /** Secrets without a value here. */
  readonly missingSecrets: readonly MissingSecret[];
}

export interface ReadingOptions {
  readonly store: ConversationStore;
  readonly secrets?: SecretVaultFactory;
  readonly cipher?: Cipher;
  readonly platform?: Platform | undefined;
}

/** A conversation as it was when it was read. */
export interface StoredConversation extends Reading {
  readonly state: ConversationState;
  readonly reader: JournalReader;
  /** Without the masks that {@link Reading.fields} has. */
  readonly projection: Projection;
  /** Returns the state of the same log after more commits. */
  readonly stateOf: (projection: Projection) => ConversationState;
}

/** Reads a conversation without taking ownership; `undefined` when it does not exist. Rejects `StoreError`. */
export async function readStored(
  id: string,
  { store, secrets, cipher, platform }: ReadingOptions,
): Promise<StoredConversation | undefined> {
  const reader = await store.read(id);
  if (!reader) return undefined;
  if (reader.end.seq === 0) {
    // another process is creating it, or ended before its first commit
    await reader.close();
    return undefined;
  }
  try {
    const { PastStates, readOnlyJournal } = await import('@conv/local');
    const projection = await projections.readState(reader);
    // the log may hold a secret that was stored before its value was registered
    const vault = secrets?.({ cipher, platform });
    vault?.load(projection.fields);
    const journal = readOnlyJournal(reader);
    const { masker } = vault ?? {};
    const state = new ConversationState({ masker, platform }, journal, projection);
    return {
      id,
      fields: state.fields,
      state,
      past: new PastStates(state),
      missingSecrets: vault?.missing ?? [],
      reader,
      projection,
      stateOf: (later) => new ConversationState({ masker, platform }, journal, later),
      [Symbol.asyncDispose]: () => reader.close(),
    };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

/**
 * Resolves with the conversation as it is now, read by the same reader. Resolves with `undefined` if it must be opened again,
 * because damage was found or secrets have changed. Rejects `NOT_FOUND` for a conversation that was deleted.
 */
export async function refreshed(stored: StoredConversation): Promise<StoredConversation | undefined> {
  const { reader, projection: known } = stored;
  const { seq } = await reader.refresh();
  if (reader.damage.length > 0 || seq < known.end.seq) return undefined;
  if (seq === known.end.seq) return stored;
  const projection = await foldJournal(reader, { from: known });
  const { agent, secretRegistry, hiddenValues } = known.fields;
  const { fields } = projection;
  const isSame = fields.secretRegistry === secretRegistry && fields.hiddenValues === hiddenValues;
  if (!isSame || fields.agent !== agent || reader.damage.length > 0) return undefined;
  const state = stored.stateOf(projection);
  return { ...stored, fields: state.fields, state, projection };
}

/** Resolves with the number of durable events of a conversation; 0 if it does not exist. Rejects `StoreError`. */
export async function countStoredEvents(id: string, store: ConversationStore): Promise<number> {
  const reader = await store.read(id);
  const events = reader?.end.event ?? 0;
  await reader?.close();
  return events;
}
