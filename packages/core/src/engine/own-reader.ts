import { fromStoreError } from '../contract/errors/from-store-error.ts';
import type { Damage, EventIndex } from '../contract/state/log-position.ts';
import type { Commit, Snapshot } from '../contract/store/commit.ts';
import type { CommitRange, JournalEnd, JournalReader, KeptState } from '../contract/store/conversation-store.ts';

/**
 * A reader whose failures are errors of the conversation with this id: `STORE_FAILED` or `CLOSED`, with the store's error as
 * `cause`. `damaged` is called when a read has found damage.
 */
export class OwnReader implements JournalReader {
  readonly #reader: JournalReader;
  readonly #id: () => string;
  readonly #damaged: () => void;
  #spans: number;

  constructor(reader: JournalReader, id: () => string, damaged: () => void) {
    this.#reader = reader;
    this.#id = id;
    this.#damaged = damaged;
    this.#spans = reader.damage.length;
  }

  get end(): JournalEnd {
    return this.#reader.end;
  }

  get damage(): readonly Damage[] {
    return this.#reader.damage;
  }

  refresh(): Promise<JournalEnd> {
    return this.#own(() => this.#reader.refresh());
  }

  commits(range?: CommitRange): AsyncGenerator<Commit> {
    return this.#each(() => this.#reader.commits(range));
  }

  locate(eventId: string): Promise<EventIndex | undefined> {
    return this.#own(() => this.#reader.locate(eventId));
  }

  snapshot(): Promise<Snapshot | undefined> {
    return this.#own(() => this.#reader.snapshot());
  }

  kept(): Promise<readonly KeptState[]> {
    return this.#own(async () => (await this.#reader.kept?.()) ?? []);
  }

  watch(from: Commit['seq'], signal: AbortSignal): AsyncGenerator<Commit> {
    return this.#each(() => this.#reader.watch(from, signal));
  }

  close(): Promise<void> {
    return this.#own(() => this.#reader.close());
  }

  async #own<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw fromStoreError(error, this.#id());
    } finally {
      this.#look();
    }
  }

  async *#each(read: () => AsyncIterable<Commit>): AsyncGenerator<Commit> {
    try {
      yield* read();
    } catch (error) {
      throw fromStoreError(error, this.#id());
    } finally {
      this.#look();
    }
  }

  #look(): void {
    const { length } = this.#reader.damage;
    if (length === this.#spans) return;
    this.#spans = length;
    this.#damaged();
  }
}
