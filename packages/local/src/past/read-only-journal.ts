import { checks, ConversationError } from '@conv/core';
import type { Journal, JournalReader } from '@conv/core/store';

/**
 * Wraps a reader as a journal whose `append` rejects `READ_ONLY`. It does not disturb the writer. Closing it closes the reader. Throws
 * `TypeError` for what is no reader.
 */
export function readOnlyJournal(reader: JournalReader): Omit<Required<Journal>, 'verify'> {
  if (typeof reader !== 'object' || reader === null)
    throw new TypeError(checks.wrongValue('readOnlyJournal', 'the reader of a conversation', reader));
  return {
    epoch: 0,
    lost: new AbortController().signal,
    get end() {
      return reader.end;
    },
    get damage() {
      return reader.damage;
    },
    refresh: () => reader.refresh(),
    commits: (range) => reader.commits(range),
    locate: (eventId) => reader.locate(eventId),
    snapshot: () => reader.snapshot(),
    kept: async () => (await reader.kept?.()) ?? [],
    ...(reader.verify ? { verify: reader.verify.bind(reader) } : {}),
    watch: (from, signal) => reader.watch(from, signal),
    append: () =>
      Promise.reject(
        new ConversationError(
          'READ_ONLY',
          'the conversation was opened for reading; open it with Conversation.resume(id) to write',
        ),
      ),
    saveSnapshot: async () => {},
    close: () => reader.close(),
  };
}
