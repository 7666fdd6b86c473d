import { ConversationError } from '../contract/errors/conversation-error.ts';
import type { Commit, Snapshot } from '../contract/store/commit.ts';
import type { CommitSeq, EventIndex } from '../contract/state/log-position.ts';
import type {
  CommitRange,
  Journal,
  JournalEnd,
  JournalReader,
  KeptState,
} from '../contract/store/conversation-store.ts';
import type { Damage } from '../contract/state/damage.ts';

/**
 * A reader in the place of a journal. Everything can be read, `append` rejects `READ_ONLY`, and the writer is not disturbed.
 * Closing it closes the reader.
 */
export class ReadOnlyJournal implements Journal {
  readonly epoch = 0;
  readonly lost: AbortSignal = new AbortController().signal;
  readonly #reader: JournalReader;

  constructor(reader: JournalReader) {
    this.#reader = reader;
  }

  get end(): JournalEnd {
    return this.#reader.end;
  }

  get damage(): readonly Damage[] {
    return this.#reader.damage;
  }

  refresh(): Promise<JournalEnd> {
    return this.#reader.refresh();
  }

  commits(range?: CommitRange): AsyncIterable<Commit> {
    return this.#reader.commits(range);
  }

  locate(eventId: string): Promise<EventIndex | undefined> {
    return this.#reader.locate(eventId);
  }

  snapshot(): Promise<Snapshot | undefined> {
    return this.#reader.snapshot();
  }

  async kept(): Promise<readonly KeptState[]> {
    return (await this.#reader.kept?.()) ?? [];
  }

  watch(from: CommitSeq, signal: AbortSignal): AsyncIterable<Commit> {
    return this.#reader.watch(from, signal);
  }

  append(): Promise<never> {
    return Promise.reject(new ConversationError('READ_ONLY', 'the conversation was opened for reading'));
  }

  async saveSnapshot(): Promise<void> {}

  close(): Promise<void> {
    return this.#reader.close();
  }
}
