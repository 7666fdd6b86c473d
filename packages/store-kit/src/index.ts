/**
 * The building blocks of a storage adapter. Each part works alone: an adapter takes the parts that fit its backend.
 *
 * @packageDocumentation
 */
export { AppendQueue, type AppendQueueParts, type GroupLimits, type WaitingAppend } from './append/append-queue.ts';
export { appendBody, type BodyAppend } from './append/body-append.ts';
export { commitTooLarge, MAX_COMMIT_BYTES, type SizedCommit } from './append/commit-size.ts';
export { FeedReader, type FeedPlace, type LogFeed } from './readers/feed-reader.ts';
export { LoadedJournal, type LoadedSink } from './readers/loaded-journal.ts';
export { LoadedReader, type LoadedSource } from './readers/loaded-reader.ts';
export { WatchableReader, type WatchSource } from './readers/watchable-reader.ts';
export { WriteAccess } from './readers/write-access.ts';
export {
  bodyBytes,
  bodyJson,
  commitJson,
  consecutiveNumbers,
  numberedCommit,
  readCommit,
  readCommitBody,
  toCommitBody,
  type CommitBody,
  type CommitNumbers,
} from './records/commit-json.ts';
export { withDamage } from './records/damage-spans.ts';
export { keptIn, keptText, settingsText } from './records/kept-text.ts';
export { stateAfter } from './records/state-after.ts';
export { StoreUses, type Opened } from './whole-stores/store-uses.ts';
export { Doorbell } from './watch/doorbell.ts';
export { Subscribers } from './watch/subscribers.ts';
export { watchCommits, type WatchParts } from './watch/watch-commits.ts';
export { checkStore, type StoreCheckOptions, type StoreCheckProgress } from './whole-stores/check-store.ts';
export { copyConversation, type Copied, type CopyOptions } from './whole-stores/copy-conversation.ts';
export {
  copyStore,
  type CopiedConversation,
  type StoreCopyOptions,
  type StoreCopyProgress,
} from './whole-stores/copy-store.ts';
