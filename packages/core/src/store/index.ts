/**
 * The storage contract: what an adapter implements, and a store in memory.
 *
 * @packageDocumentation
 */
import '../needs-node.ts';

export { checkOpenOptions } from './check-open-options.ts';
export { checkByReading, checkCommits, checkJournal } from './check-journal.ts';
export type { CheckedConversation, CheckOptions, CheckProgress, CheckResult, Finding } from './check-result.ts';
export { checkStore, type StoreCheckOptions, type StoreCheckProgress } from './check-store.ts';
export {
  toCommitSeq,
  toEventIndex,
  type CallRecord,
  type Commit,
  type CommitSeq,
  type EventIndex,
  type NewCommit,
  type Snapshot,
} from './commit.ts';
export { toConversationId, toConversationKey } from './conversation-id.ts';
export { conversationSummary } from './conversation-summary.ts';
export type {
  CommitRange,
  ConversationStore,
  ConversationSummary,
  Damage,
  ForkOptions,
  Journal,
  JournalEnd,
  JournalReader,
  KeptState,
  ListPage,
  ListQuery,
  OpenOptions,
  StoreFeatures,
} from './conversation-store.ts';
export { copyConversation, type Copied, type CopyOptions } from './copy-conversation.ts';
export { copyStore, type CopiedConversation, type StoreCopyOptions, type StoreCopyProgress } from './copy-store.ts';
export { withDamage } from './damage-spans.ts';
export { forkCommits } from './fork-commits.ts';
export { keptIn, keptText, settingsText } from './kept-text.ts';
export { checkListQuery } from './check-list-query.ts';
export { listPage } from './list-page.ts';
export { LoadedJournal, type LoadedSink } from './loaded-journal.ts';
export { LoadedReader, type LoadedSource } from './loaded-reader.ts';
export { MemoryStore } from './memory-store.ts';
export { readEvents, type IndexedEvent } from './read-events.ts';
export { SummaryList } from './summary-list.ts';
export { isStoreError, StoreError, type OwnerInfo, type StoreErrorCode } from './store-error.ts';
