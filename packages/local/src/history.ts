import { randomUUID } from 'node:crypto';

import {
  ConversationError,
  fromStoreError,
  type ConversationHistory,
  type ConversationState,
  type ForkInput,
  type StateAt,
  type StatePatch,
} from '@conv/core';
import { toConversationId, type Commit, type CommitSeq, type ConversationStore } from '@conv/core/store';

import { checkTags } from './settings.ts';

/** What the history of a local conversation works with. */
export interface HistoryInput {
  readonly state: ConversationState;
  readonly store: ConversationStore;
  /** Where a conversation with this id keeps its folder, as the state of its fork says. */
  readonly folderOf: (id: string) => string | null;
  readonly running: () => boolean;
}

/** History of a local conversation. */
export class LocalHistory implements ConversationHistory {
  readonly #input: HistoryInput;

  constructor(input: HistoryInput) {
    this.#input = input;
  }

  async fork(options: ForkInput = {}): Promise<string> {
    const { state, store } = this.#input;
    const id = newConversationId(options.id);
    if (options.from !== undefined && (await state.events.indexOf(options.from)) === undefined)
      throw unknownEvent(options.from);
    const patch = this.#forkPatch(id, options);
    try {
      await store.fork(state.id, id, { ...(options.from === undefined ? {} : { from: options.from }), patch });
    } catch (error) {
      throw fromStoreError(error, state.id);
    }
    return id;
  }

  async navigateTo(eventId: string | null): Promise<void> {
    await this.#input.state.transaction((transaction) => {
      if (this.#input.running())
        throw new ConversationError('BUSY', `a run of conversation ${this.#input.state.id} is in progress`);
      return transaction.moveHead(eventId);
    });
  }

  at(seq: CommitSeq): Promise<StateAt> {
    return this.#input.state.at(seq);
  }

  replay(range: { from?: CommitSeq; to?: CommitSeq } = {}): AsyncIterable<StateAt> {
    return this.#input.state.replay(range);
  }

  commits(range: { from?: CommitSeq; to?: CommitSeq } = {}): AsyncIterable<Commit> {
    return this.#input.state.commits(range);
  }

  /** Everything that keeps the fork as strict as its source stays; calls that run in the source are settled when the fork is opened. */
  #forkPatch(id: string, { from, title, tags, resetMetrics = true }: ForkInput): StatePatch {
    const { state, folderOf } = this.#input;
    const status =
      state.executionStatus === 'running'
        ? 'running'
        : state.pendingActions.length > 0
          ? 'waiting_for_confirmation'
          : 'idle';
    return {
      set: {
        id,
        persistenceDir: folderOf(id),
        createdAt: new Date().toISOString(),
        parentId: null,
        forkedFrom: { conversationId: state.id, eventId: from ?? null },
        executionStatus: status,
        queue: [],
        ...(resetMetrics ? { stats: {} } : {}),
        ...(tags ? { tags: checkTags(tags) } : {}),
        ...(title === undefined ? {} : { title, tags: { ...(tags ?? state.tags), title } }),
      },
    };
  }
}

function newConversationId(id: string | undefined): string {
  try {
    return toConversationId(id ?? randomUUID());
  } catch (error) {
    throw fromStoreError(error);
  }
}

function unknownEvent(id: string): ConversationError {
  return new ConversationError('UNKNOWN_EVENT', `no event has the id ${JSON.stringify(id)}`);
}
