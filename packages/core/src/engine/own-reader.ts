import { ConversationError } from '../contract/errors/conversation-error.ts';
import { fromStoreError } from '../contract/errors/from-store-error.ts';
import type { Commit, Snapshot } from '../contract/store/commit.ts';
import type { CommitSeq, EventIndex } from '../contract/state/log-position.ts';
import type { CommitRange, JournalEnd, JournalReader, KeptState } from '../contract/store/conversation-store.ts';
import type { Damage } from '../contract/state/damage.ts';

/** A reader whose failures are errors of the conversation: `STORE_FAILED` or `CLOSED`, with the store's error as `cause`. */
export class OwnReader implements JournalReader {
  readonly #reader: JournalReader;
  readonly #id: () => string;
  readonly #damaged: () => void;
  #spans: number;

  /** `damaged` is called when a read has found damage. */
  constructor(reader: JournalReader, id: () => string, damaged: () => void = () => {}) {
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

  /** Returns commits, see {@link JournalReader.commits}. Throws `INVALID_INPUT` for a bound that is no number of a commit. */
  commits(range: CommitRange = {}): AsyncIterable<Commit> {
    if (!('fromEvent' in range)) for (const seq of [range.from, range.to]) checkSeq(seq);
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

  watch(from: CommitSeq, signal: AbortSignal): AsyncIterable<Commit> {
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

/** Throws `INVALID_INPUT` for a value that is no number of a commit; `undefined` is fine. */
export function checkSeq(seq: number | undefined): void {
  if (seq === undefined || (Number.isInteger(seq) && seq >= 0)) return;
  throw new ConversationError(
    'INVALID_INPUT',
    `expected the number of a commit, a whole number from 0, found ${String(seq)}`,
  );
}
