import { fromStoreError, type StateFields } from '@conv/core';
import type { Platform } from '@conv/core/platform';

import { conversationNotFound } from './conversation-not-found.ts';
import type { HostOptions } from './host-options.ts';
import type { HostedConversation } from './hosted-conversation.ts';
import { KeptReadings } from './kept-readings.ts';
import type { LoadedConversations } from './loaded-conversations.ts';
import { countStoredEvents, readStored, type Reading, type StoredConversation } from './stored-conversation.ts';

/** Reads the conversations of a host: loaded conversations as they are here, others from the store. Loads none. */
export class HostReadings {
  readonly #options: HostOptions;
  readonly #loaded: LoadedConversations;
  readonly #kept: KeptReadings;

  constructor(options: HostOptions, platform: Platform, loaded: LoadedConversations) {
    this.#options = options;
    this.#loaded = loaded;
    this.#kept = new KeptReadings(platform);
  }

  /** Returns the conversation if it is loaded here, and keeps it loaded until the caller disposes of the reading. */
  loaded(id: string): Reading | undefined {
    const lease = this.#loaded.leaseLoaded(id);
    return lease && readingOf(lease.conversation, lease.release);
  }

  /** Reads a stored conversation; `undefined` when there is none. Rejects `ConversationError`. */
  stored(id: string): Promise<StoredConversation | undefined> {
    return typed(id, readStored(id, this.#options));
  }

  /** Resolves with the number of events that are stored now; 0 if there is no conversation. Rejects `ConversationError`. */
  length(id: string): Promise<number> {
    return typed(id, countStoredEvents(id, this.#options.store));
  }

  /** Reads a stored conversation. Rejects `NOT_FOUND` when there is none. */
  async existing(id: string): Promise<StoredConversation> {
    const stored = await this.stored(id);
    if (!stored) throw conversationNotFound(id);
    return stored;
  }

  /** As {@link HostReadings.loaded}, else from the store; the reading of the store is cached for the next request. */
  async past(id: string): Promise<Reading | undefined> {
    return (
      this.loaded(id) ??
      typed(
        id,
        this.#kept.read(id, () => readStored(id, this.#options)),
      )
    );
  }

  /**
   * As {@link HostReadings.past}, but does not keep the conversation loaded: reading rejects when it is unloaded meanwhile. The status is the stored
   * one, because a run that was accepted here may end without a commit.
   */
  async aside(id: string): Promise<Reading | undefined> {
    const loaded = this.#loaded.get(id);
    return loaded ? readingOf(loaded, () => {}, loaded.conversation.state) : this.past(id);
  }

  /** Deletes a stored conversation. Rejects `ConversationError`. */
  async delete(id: string): Promise<void> {
    await this.#kept.forget(id);
    await typed(id, this.#options.store.delete(id));
  }

  /** Closes the cached readings. */
  close(): Promise<void> {
    return this.#kept.close();
  }
}

/** Returns a reading of a loaded conversation, with its fields as `shown` has them. */
function readingOf(
  hosted: HostedConversation,
  release: () => void,
  shown: { readonly fields: StateFields } = hosted,
): Reading {
  const { id, conversation } = hosted;
  return {
    id,
    get fields() {
      return shown.fields;
    },
    state: conversation.state,
    get past() {
      return conversation.history.past;
    },
    get missingSecrets() {
      return conversation.settings.missingSecrets;
    },
    [Symbol.asyncDispose]: async () => release(),
  };
}

/** Resolves as the work does. Rejects `ConversationError` for an error of the store. */
async function typed<T>(id: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw fromStoreError(error, id);
  }
}
