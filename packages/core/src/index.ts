/**
 * Durable conversations with AI agents: an append-only log of commits, state as a fold of it, and the contracts of everything
 * around them. Which package runs a conversation, stores it or shows it is the application's choice.
 *
 * @packageDocumentation
 */
import './needs-node.ts';

export type {
  Agent,
  AgentFactory,
  AgentSession,
  AgentTool,
  AnswerDelta,
  AnswerEnd,
  CallContext,
  Cipher,
  Enrichment,
  GoalJudgement,
  ResultEnrichment,
  SecretsMode,
  SideAnswer,
  StepContext,
  StepOutcome,
  TokenDelta,
} from './conversation/agent.ts';
export {
  ConversationError,
  isConversationError,
  type ConversationErrorCode,
} from './conversation/conversation-error.ts';
export type {
  Consultation,
  HookEventType,
  HookOccasion,
  HookOutcome,
  HookRunner,
  Hooks,
  HookSession,
  HooksFactory,
} from './control/hooks.ts';
export { EventMask } from './control/event-mask.ts';
export { maskJson, type MaskJsonOptions, type MaskText } from './control/mask-json.ts';
export { SECRET_MASK, type Masker, type MaskStream } from './control/masker.ts';
export type {
  CallableSecret,
  LookupSecret,
  MissingSecret,
  NamedSecrets,
  SecretDescription,
  SecretInput,
  SecretUpdate,
  SecretVault,
  SecretVaultFactory,
  StaticSecret,
  StoredSecrets,
  ToolSecrets,
} from './control/secret-vault.ts';
export { fetchWithinOrigin } from './control/fetch-within-origin.ts';
export type {
  AssessOptions,
  ProtectedPlaces,
  RiskAssessment,
  SecurityAnalyzer,
  PatternTriple,
  SecurityAnalyzerDescription,
  SecurityAnalyzerFactory,
  SecurityAnalyzerInput,
} from './control/security-analyzer.ts';
export { STUCK_SENDER, type StuckDetector, type StuckFinding } from './control/stuck-detector.ts';
export type {
  AskResult,
  CallAnswer,
  Conversation,
  ConversationFeatures,
  ConversationHistory,
  ConversationSettings,
  ConversationView,
  ForkInput,
  Limits,
  PendingAction,
  RerunResult,
  RunOptions,
  RunResult,
  SendOptions,
  SentMessage,
  StateAt,
  TitleOptions,
} from './conversation/conversation.ts';
export { plainJson, plainLine, plainText, visibleText } from './text/plain-text.ts';
export type { EventsList } from './conversation/events-list.ts';
export { runReason, type RunReason } from './conversation/run-reason.ts';
export type { ConversationGoal, GoalOptions, GoalOutcome } from './conversation/goal.ts';
export {
  createConversationFactory,
  type ConversationFactory,
  type ConversationRuntime,
  type GivenOptions,
  type OptionsWithout,
  type ConversationOf,
} from './conversation/factory.ts';
export {
  messageParts,
  type MessageInput,
  type MessagePart,
  type UserMessageInput,
} from './conversation/message-input.ts';
export { checkSharedOptions, type UncheckedOptions } from './conversation/check-shared-options.ts';
export { checkCallOptions, checkDecision, type CallWithOptions } from './conversation/call-options.ts';
export { fromStoreError } from './conversation/from-store-error.ts';
export type {
  ShownChild,
  Subscriber,
  SubscribeOptions,
  Subscription,
  Visualizer,
  VisualizerInput,
} from './conversation/subscriber.ts';
export type {
  LocalWorkspaceDescription,
  RemoteWorkspaceDescription,
  WorkspaceInput,
} from './conversation/workspace.ts';
export type { Json, JsonObject } from './json.ts';
export {
  checkOptionNames,
  describeValue,
  type MakeOptionError,
  type OptionNames,
} from './options/check-option-names.ts';
export { wrongSignal, wrongValue } from './options/wrong-value.ts';
export {
  isConfirmationModeActive,
  isPolicyActive,
  needsConfirmation,
  parseConfirmationPolicy,
  shouldConfirm,
  stricterPolicy,
  type AlwaysConfirm,
  type ConfirmationPolicy,
  type ConfirmationPolicyInput,
  type ConfirmRisky,
  type NeverConfirm,
} from './policy/confirmation-policy.ts';
export { strictSettings, type StrictSettings } from './policy/strict-settings.ts';
export type { BranchState, OpenCall, Task } from './state/branch.ts';
export { ConversationState, type AppendOptions, type StateOptions } from './state/conversation-state.ts';
export { Cursor, type CursorLog } from './state/cursor.ts';
export { EventLog } from './state/event-log.ts';
export {
  initialFields,
  type CallPhase,
  type ExecutionStatus,
  type QueuedMessage,
  type RunRecord,
  type StateFields,
  type UsageMetrics,
} from './state/fields.ts';
export { foldCommit, foldJournal, type FoldOptions } from './state/fold-journal.ts';
export { FifoLock, type LockHandle } from './state/lock.ts';
export { forkPatch } from './state/fork-patch.ts';
export { applyPatch, type StatePatch } from './state/patch.ts';
export { PastStates, type CommitSpan, type StateAtCommit } from './state/past-states.ts';
export { emptyProjection, type Projection } from './state/projection.ts';
export { ReadOnlyJournal } from './state/read-only-journal.ts';
export { readState } from './state/read-state.ts';
export { fromSnapshot, toSnapshot } from './state/snapshot.ts';
export { StateView } from './state/state-view.ts';
export type { Metrics } from './state/stats.ts';
export { STUCK_CODE } from './state/status.ts';
export type { Transaction } from './state/transaction.ts';
export { condensableView, type CondensableView } from './state/view-cuts.ts';
export { ViewFold, modelEvents, type View, type ViewMarks } from './state/view.ts';
