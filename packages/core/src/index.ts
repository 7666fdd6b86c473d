/**
 * Durable conversations with AI agents: an append-only log of commits, state as a fold of it, and the contracts of everything
 * around them. Which package runs a conversation, stores it or shows it is the application's choice.
 *
 * @packageDocumentation
 */
import './platform/needs-node.ts';

export {
  isAgent,
  type Agent,
  type AgentFactory,
  type AgentSession,
  type CallContext,
  type CondensableView,
  type Enrichment,
  type GoalJudgement,
  type StepContext,
  type StepOutcome,
} from './contract/agent/agent.ts';
export type {
  AnswerDelta,
  TokenDelta,
  Subscriber,
  SubscriberInput,
  SubscribeOptions,
  Subscription,
  ToolOutput,
  Visualizer,
} from './contract/conversation/subscriber.ts';
export {
  ConversationError,
  isConversationError,
  type ConversationErrorCode,
} from './contract/errors/conversation-error.ts';
export type {
  Consultation,
  HookOccasion,
  HookOutcome,
  HookRunner,
  Hooks,
  HookSession,
} from './contract/safeguards/hooks.ts';
export { EventMask } from './masking/event-mask.ts';
export { maskJson } from './masking/mask-json.ts';
export { SECRET_MASK, type Masker, type MaskStream } from './contract/safeguards/masker.ts';
export type {
  Cipher,
  MissingSecret,
  NamedSecrets,
  SecretDescription,
  SecretInput,
  SecretUpdate,
  SecretVault,
  SecretVaultFactory,
  StoredSecrets,
  ToolSecrets,
} from './contract/safeguards/secret-vault.ts';
export {
  impliedSecretKind,
  REDACTED,
  SECRET_SOURCES,
  type LookupSecret,
  type StaticSource,
} from './contract/safeguards/secret-source.ts';
export { abortable } from './platform/abortable.ts';
export { CodedError, errorText, markErrors } from './platform/coded-error.ts';
export { fromWholeWord } from './platform/from-whole-word.ts';
export { truncateMiddle } from './platform/truncate-middle.ts';
export type { AssessOptions, ProtectedPlaces, SecurityAnalyzer } from './contract/safeguards/security-analyzer.ts';
export type { SecurityAnalyzerDescription, StoredAnalyzer } from './contract/state/stored-analyzer.ts';
export { HOOK_MEMBERS, MAX_HOOK_TIMEOUT, type StoredHooks } from './contract/state/hook-config.ts';
export type { RiskAssessment } from './contract/state/risk-assessment.ts';
export { STUCK_SENDER, type StuckDetector, type StuckFinding } from './contract/safeguards/stuck-detector.ts';
export type {
  AskResult,
  ApproveOptions,
  CallAnswer,
  Conversation,
  ConversationFeatures,
  ConversationSettings,
  RunOptions,
  RunResult,
  SendOptions,
  SentMessage,
} from './contract/conversation/conversation.ts';
export type { ConversationView, Metrics, PendingAction } from './contract/conversation/conversation-view.ts';
export type { ConversationHistory, ForkInput, RerunResult, StateAt } from './contract/conversation/history.ts';
export type { Limits } from './contract/state/limits.ts';
export type { EventsList } from './contract/conversation/events-list.ts';
export type { ConversationGoal, GoalOutcome } from './contract/conversation/goal.ts';
export {
  createConversationFactory,
  type ConversationFactory,
  type ConversationRuntime,
} from './contract/conversation/factory.ts';
export type { MessageInput, MessagePart } from './contract/conversation/message-input.ts';
export type { SharedOptions } from './contract/conversation/shared-options.ts';
export { fromStoreError } from './contract/errors/from-store-error.ts';
export type {
  LocalWorkspaceDescription,
  RemoteWorkspaceDescription,
  WorkspaceInput,
} from './contract/conversation/workspace.ts';
export { keptJson, type Json, type JsonObject } from './platform/json.ts';
export { checkOptionNames, describeValue, type OptionNames } from './contract/settings-input/check-option-names.ts';
export { parseConfirmationPolicy, shouldConfirm } from './contract/safeguards/confirmation-policy.ts';
export {
  CONFIRMATION_POLICIES,
  type ConfirmationPolicy,
  type ConfirmationPolicyInput,
  type NeverConfirm,
  type StoredPolicy,
} from './contract/state/stored-policy.ts';
export type { BranchState, OpenCall } from './engine/fold/branch.ts';
export type { Task } from './contract/state/task.ts';
export { ConversationState } from './engine/conversation-state.ts';
export { Cursor } from './engine/cursor.ts';
export { Subscriptions } from './engine/subscriptions.ts';
export { EventLog, growingLog } from './engine/event-log.ts';
export {
  initialFields,
  type ExecutionStatus,
  type RunRecord,
  type StateFields,
  type UsageMetrics,
} from './contract/state/fields.ts';
export { foldJournal } from './engine/fold/fold-journal.ts';
export { FifoLock, type LockHandle } from './engine/lock.ts';
export type { StatePatch } from './contract/state/patch.ts';
export type { Projection } from './engine/fold/projection.ts';
export { ReadonlyState } from './engine/readonly-state.ts';
export { STUCK_CODE } from './engine/fold/status.ts';
export type { Transaction } from './engine/transaction.ts';
export { viewOf } from './engine/view/view-cuts.ts';
export * as checks from './contract/conversation/checks.ts';
export * as pastViews from './past-views.ts';
export * as policies from './contract/safeguards/policies.ts';
export * as projections from './engine/fold/projections.ts';
export * as views from './engine/view/views.ts';
