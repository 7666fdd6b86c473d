import { fromStoreError } from '../contract/errors/from-store-error.ts';
import type { Commit } from '../contract/store/commit.ts';
import type { JournalReader } from '../contract/store/conversation-store.ts';

/**
 * Returns a reader whose failures are errors of the conversation with this id: `STORE_FAILED` or `CLOSED`, with the store's error
 * as `cause`. `damaged` is called when a read has found damage.
 */
export function ownReader(reader: JournalReader, id: () => string, damaged: () => void): JournalReader {
  let spans = reader.damage.length;
  const look = (): void => {
    const { length } = reader.damage;
    if (length === spans) return;
    spans = length;
    damaged();
  };
  async function own<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw fromStoreError(error, id());
    } finally {
      look();
    }
  }
  async function* each(read: () => AsyncIterable<Commit>): AsyncGenerator<Commit> {
    try {
      yield* read();
    } catch (error) {
      throw fromStoreError(error, id());
    } finally {
      look();
    }
  }
  return {
    get end() {
      return reader.end;
    },
    get damage() {
      return reader.damage;
    },
    refresh: () => own(() => reader.refresh()),
    commits: (range) => each(() => reader.commits(range)),
    locate: (eventId) => own(() => reader.locate(eventId)),
    snapshot: () => own(() => reader.snapshot()),
    kept: () => own(async () => (await reader.kept?.()) ?? []),
    watch: (from, signal) => each(() => reader.watch(from, signal)),
    close: () => own(() => reader.close()),
  };
}
