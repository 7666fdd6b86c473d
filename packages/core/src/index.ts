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
  type ResultEnrichment,
  type SecretsMode,
  type SideAnswer,
  type StepContext,
  type StepOutcome,
} from './contract/agent/agent.ts';
export type {
  AnswerDelta,
  AnswerEnd,
  TokenDelta,
  ShownChild,
  Subscriber,
  SubscriberInput,
  SubscribeOptions,
  Subscription,
  Visualizer,
  VisualizerInput,
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
  HooksFactory,
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
  SECRET_SOURCES,
  type LookupSecret,
  type StaticSource,
} from './contract/safeguards/secret-source.ts';
export { abortable } from './platform/abortable.ts';
export { CodedError, errorText } from './platform/coded-error.ts';
export { fromWholeWord } from './platform/from-whole-word.ts';
export { truncateMiddle } from './platform/truncate-middle.ts';
export { fetchWithinOrigin } from './platform/fetch-within-origin.ts';
export type {
  AssessOptions,
  ProtectedPlaces,
  SecurityAnalyzer,
  SecurityAnalyzerFactory,
  SecurityAnalyzerInput,
} from './contract/safeguards/security-analyzer.ts';
export {
  storedAnalyzer,
  type SecurityAnalyzerDescription,
  type StoredAnalyzer,
} from './contract/state/stored-analyzer.ts';
export {
  HOOK_MEMBERS,
  MAX_HOOK_TIMEOUT,
  storedHooks,
  type HookEventType,
  type StoredHooks,
} from './contract/state/hook-config.ts';
export type { RiskAssessment } from './contract/state/risk-assessment.ts';
export { STUCK_SENDER, type StuckDetector, type StuckFinding } from './contract/safeguards/stuck-detector.ts';
export type {
  AskResult,
  CallAnswer,
  Conversation,
  ConversationFeatures,
  ConversationHistory,
  ConversationSettings,
  ConversationView,
  ForkInput,
  Metrics,
  PendingAction,
  RerunResult,
  RunOptions,
  RunResult,
  SendOptions,
  SentMessage,
  StateAt,
  TitleOptions,
} from './contract/conversation/conversation.ts';
export type { Limits } from './contract/state/limits.ts';
export type { EventsList } from './contract/conversation/events-list.ts';
export type { ConversationGoal, GoalOptions, GoalOutcome } from './contract/conversation/goal.ts';
export {
  createConversationFactory,
  type ConversationFactory,
  type ConversationRuntime,
} from './contract/conversation/factory.ts';
export { messageParts, type MessageInput } from './contract/conversation/message-input.ts';
export { checkSharedOptions } from './contract/conversation/check-shared-options.ts';
export { SHARED_OPTIONS, type SharedOptions } from './contract/conversation/shared-options.ts';
export { checkCallOptions, checkDecision } from './contract/conversation/call-options.ts';
export { checkEventId } from './contract/conversation/check-event-id.ts';
export { fromStoreError } from './contract/errors/from-store-error.ts';
export type {
  LocalWorkspaceDescription,
  RemoteWorkspaceDescription,
  WorkspaceInput,
} from './contract/conversation/workspace.ts';
export type { Json, JsonObject } from './platform/json.ts';
export { checkOptionNames, describeValue, type OptionNames } from './contract/settings-input/check-option-names.ts';
export {
  checkLimitNames,
  checkLimits,
  checkMaxIterations,
  checkTags,
  checkTitle,
  MAX_TITLE_LENGTH,
} from './contract/conversation/check-settings.ts';
export { invalidOption } from './contract/settings-input/invalid-option.ts';
export { wrongValue } from './contract/settings-input/wrong-value.ts';
export {
  isConfirmationModeActive,
  isPolicyActive,
  needsConfirmation,
  parseConfirmationPolicy,
  readPolicy,
  shouldConfirm,
  stricterPolicy,
} from './contract/safeguards/confirmation-policy.ts';
export {
  CONFIRMATION_POLICIES,
  storedPolicy,
  type ConfirmationPolicy,
  type ConfirmationPolicyInput,
  type NeverConfirm,
  type StoredPolicy,
} from './contract/state/stored-policy.ts';
export { strictSettings } from './engine/fold/strict-settings.ts';
export type { BranchState, OpenCall } from './engine/fold/branch.ts';
export type { Task } from './contract/state/task.ts';
export { ConversationState } from './engine/conversation-state.ts';
export { Cursor, type CursorLog } from './engine/cursor.ts';
export { Subscriptions } from './engine/subscriptions.ts';
export { EventLog, type GrowingLog, growingLog } from './engine/event-log.ts';
export {
  initialFields,
  type CallPhase,
  type ExecutionStatus,
  type RunRecord,
  type StateFields,
  type UsageMetrics,
} from './contract/state/fields.ts';
export { foldCommit, foldJournal } from './engine/fold/fold-journal.ts';
export { FifoLock, type LockHandle } from './engine/lock.ts';
export { forkPatch } from './engine/fold/fork-patch.ts';
export { applyPatch, type StatePatch } from './contract/state/patch.ts';
export { PastStates } from './engine/past-states.ts';
export { applyCommit, emptyProjection, type Projection } from './engine/fold/projection.ts';
export { readOnlyJournal } from './engine/read-only-journal.ts';
export { readState } from './engine/fold/read-state.ts';
export { toSnapshot } from './engine/fold/snapshot.ts';
export { ReadonlyState } from './engine/readonly-state.ts';
export { STUCK_CODE } from './engine/fold/status.ts';
export type { Transaction } from './engine/transaction.ts';
export { condensableView } from './engine/view/view-cuts.ts';
export { ViewFold, modelEvents } from './engine/view/view.ts';
export type { AgentTool } from './contract/agent/agent.ts';
export type { ConversationOf, GivenOptions, OptionsWithout } from './contract/conversation/factory.ts';
export type { MessagePart, UserMessageInput, WireMessage } from './contract/conversation/message-input.ts';
export type { RunReason } from './contract/conversation/run-reason.ts';
export type { ToolErrorCode } from './contract/errors/tool-error.ts';
export type { StaticSecret } from './contract/safeguards/secret-source.ts';
export type { CallableSecret } from './contract/safeguards/secret-vault.ts';
export type { MakeOptionError } from './contract/settings-input/check-option-names.ts';
export type { QueuedMessage } from './contract/state/fields.ts';
export type { MatchersByMoment } from './contract/state/hook-config.ts';
export type { PatternTriple } from './contract/state/stored-analyzer.ts';
export type { AlwaysConfirm, ConfirmRisky, UnknownPolicy } from './contract/state/stored-policy.ts';
export type { StateOptions } from './engine/conversation-state.ts';
export type { FoldOptions } from './engine/fold/fold-journal.ts';
export type { ReadOptions } from './engine/fold/read-state.ts';
export type { StrictSettings } from './engine/fold/strict-settings.ts';
export type { CommitSpan, StateAtCommit } from './engine/past-states.ts';
export type { View, ViewMarks } from './engine/view/view.ts';
export type { MaskJsonOptions, MaskText } from './masking/mask-json.ts';
