/**
 * The building blocks of a storage adapter. Each part works alone: an adapter takes the parts that fit its backend.
 *
 * @packageDocumentation
 */
export { AppendQueue, type AppendQueueParts, type GroupLimits, type WaitingAppend } from './append/append-queue.ts';
export { flushPace, type FlushPace } from './append/flush-pace.ts';
export { acknowledge, JournalWrites, numbersOf, type BodyAppend, type NumberedGroup } from './append/journal-writes.ts';
export { commitTooLarge, MAX_COMMIT_BYTES, type SizedCommit } from './append/commit-size.ts';
export { FeedReader, type FeedPlace, type LogFeed, type LogPart } from './readers/feed-reader.ts';
export { findEvent } from './readers/find-event.ts';
export { LoadedJournal, type LoadedSink } from './readers/loaded-journal.ts';
export { LoadedReader, type LoadedSource } from './readers/loaded-reader.ts';
export { WatchableReader, type WatchSource } from './readers/watchable-reader.ts';
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
export { isStandIn, standIns, type StandInSource } from './records/stand-ins.ts';
export { keptIn, keptText, settingsText } from './records/kept-text.ts';
export { foreignLog, foreignLogError, type ForeignLog, type LogReader } from './records/foreign-log.ts';
export { isOtherId, isOtherSnapshot } from './records/other-conversation.ts';
export { forkState, stateAfter, type ForkState } from './records/fork-state.ts';
export {
  columnsIn,
  summaryColumns,
  summaryIn,
  type SummaryColumns,
  type SummaryRow,
} from './records/summary-columns.ts';
export { listPages } from './store/list-pages.ts';
export { selectPage, type PageSelection, type PageSource } from './store/select-page.ts';
export { BaseStore } from './base-store.ts';
export type { Incomplete } from './store/incomplete.ts';
export { ClosableStore, type Opened } from './store/closable-store.ts';
export { Doorbell } from './watch/doorbell.ts';
export { Subscribers } from './watch/subscribers.ts';
export { watchCommits, type WatchParts } from './watch/watch-commits.ts';
export { checkMilliseconds } from './store/check-milliseconds.ts';
export { checkByReading, checkCommits, checkJournal } from './checks/check-journal.ts';
export {
  checkConversation,
  checkStore,
  type StoreCheckOptions,
  type StoreCheckProgress,
} from './checks/check-store.ts';
export { copyConversation, type Copied, type CopyOptions } from './copies/copy-conversation.ts';
export { existsAlready, notInStore, ownedBy } from './store/store-errors.ts';
export {
  copyStore,
  type CopiedConversation,
  type StoreCopyOptions,
  type StoreCopyProgress,
} from './copies/copy-store.ts';
