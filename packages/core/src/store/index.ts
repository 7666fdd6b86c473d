/**
 * The storage contract: what an adapter implements, and a store in memory.
 *
 * @packageDocumentation
 */
import '../platform/needs-node.ts';

export type { CheckedConversation, CheckOptions, CheckResult, Finding } from '../contract/store/check-result.ts';
export type { CallRecord, Commit, NewCommit, Snapshot } from '../contract/store/commit.ts';
export {
  toCommitSeq,
  toEventIndex,
  type CommitSeq,
  type EventIndex,
  type Damage,
} from '../contract/state/log-position.ts';
export { toConversationId, toConversationKey } from '../contract/store/conversation-id.ts';
export type {
  CommitRange,
  ConversationStore,
  ConversationSummary,
  ForkOptions,
  Journal,
  JournalEnd,
  JournalReader,
  KeptState,
  ListPage,
  ListQuery,
  OpenOptions,
  StoreFeatures,
} from '../contract/store/conversation-store.ts';
export { forkCommits } from './fork-commits.ts';
export { MemoryStore } from './memory-store.ts';
export { readEvents } from '../engine/fold/read-events.ts';
export { isStoreError, StoreError, type OwnerInfo, type StoreErrorCode } from '../contract/errors/store-error.ts';
export { conversationSummary } from '../contract/store/conversation-summary.ts';
export * as listCursor from './list-cursor.ts';
export { listPage } from './list-page.ts';
