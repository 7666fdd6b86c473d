import type { JsonObject } from '../../platform/json.ts';
import type { Limits } from '../state/limits.ts';
import type { ActionEvent, ContentPart, EventDraft, MessageEvent, SecurityRisk } from '../../events/index.ts';
import type { MissingSecret, SecretDescription, SecretUpdate } from '../safeguards/secret-vault.ts';
import type { SecurityAnalyzer } from '../safeguards/security-analyzer.ts';
import type { SecurityAnalyzerDescription } from '../state/stored-analyzer.ts';
import type { ConfirmationPolicyInput } from '../state/stored-policy.ts';
import type { Task } from '../state/task.ts';
import type { ExecutionStatus, StateFields } from '../state/fields.ts';
import type { CallRecord, Commit } from '../store/commit.ts';
import type { CommitSeq, Damage } from '../state/log-position.ts';
import type { EventsList } from './events-list.ts';
import type { ConversationGoal } from './goal.ts';
import type { MessageInput } from './message-input.ts';
import type { ModelView, ViewPage } from './model-view.ts';
import type { Outline, OutlineOptions } from './outline.ts';
import type { SubscriberInput, SubscribeOptions, Subscription } from './subscriber.ts';

/** The acknowledgement of `sendMessage`. */
export interface SentMessage {
  /** The id of its MessageEvent. */
  readonly id: string;
  /** True if tool calls were open: the event is appended when they have ended. */
  readonly queued: boolean;
}

/** Options of `sendMessage`. */
export interface SendOptions {
  /** The name of the sender, for people. */
  readonly sender?: string;
  /**
   * The id of its MessageEvent, a UUID in lower case. If a user's message with the same content and sender already has this id,
   * nothing is sent, and the result tells if that message is queued. So a send whose answer was lost can be repeated. Default: a
   * new id. Rejects `INVALID_INPUT` if the id belongs to anything else. Secrets that are hidden in the log are not compared.
   */
  readonly id?: string;
}

/** Limits and lifetime of one run. */
export interface RunOptions {
  /** Model responses in this run. Default: the state's `maxIterations`. */
  readonly maxIterations?: number;
  /** Aborting interrupts the run; it then resolves with status `paused`. */
  readonly signal?: AbortSignal;
  /** False to approve nothing: while actions wait for a person, and none was approved by name, the run does not begin. Default `true`. */
  readonly approves?: boolean;
  /**
   * The id of the message that the run is to answer, which is the newest event. Rejects `BUSY` if something came after it: another run may have answered it,
   * or failed at it. A runtime that cannot tell begins the run.
   */
  readonly answers?: string;
}

/** The result of a run. */
export interface RunResult {
  readonly status: ExecutionStatus;
  /** Model responses in this run. */
  readonly iterations: number;
  /** The reason why it ended in `error` at a limit or in `stuck`; absent otherwise. A failure rejects `RUN_FAILED` instead. */
  readonly reason?: {
    /** The code of the ConversationErrorEvent that ended it, such as `MaxIterationsReached`, `MaxBudgetReached` or `StuckDetected`. */
    readonly code: string;
    /** The detail of that event. */
    readonly detail: string;
    /** The limit that was reached; absent for other codes. */
    readonly limit?: keyof Limits;
    /** The value of that limit: responses, or US dollars. */
    readonly value?: number;
  };
}

/** Options of `approve`. */
export interface ApproveOptions {
  /**
   * Arguments by the id of an action, for actions that run with other arguments than the model gave. In the commit of the approval
   * the action is rejected, and an action of its own with these arguments is approved in its place.
   */
  readonly edits?: Readonly<Record<string, JsonObject>>;
}

/** An action that waits for a person's decision. */
export interface PendingAction extends ActionEvent {
  /** The risk that held the action: the analyzer's rating if there is one, else the model's own. */
  readonly security_risk?: SecurityRisk;
  /** The analyzer's reasons for that risk; empty without an analyzer's rating. */
  readonly reasons: readonly string[];
}

/** The totals over all uses of a model. */
export interface Metrics {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars. */
  readonly totalCost: number;
  readonly llmCallCount: number;
}

/** The durable state of a conversation, for reading. */
export interface ConversationView extends StateFields {
  /** Executable actions of the live branch without a result, oldest first. */
  readonly pendingActions: readonly PendingAction[];
  /** Model responses on the live branch. */
  readonly iteration: number;
  readonly taskList: readonly Task[];
  readonly metrics: Metrics;
  /** The messages of user and agent on the live branch. */
  conversationHistory(): Promise<readonly MessageEvent[]>;
  /** True if an analyzer is set and the policy is not NeverConfirm (P10). It only reports; the policy alone decides. */
  readonly isConfirmationModeActive: boolean;
  /** True if the policy is not NeverConfirm. */
  readonly confirmationPolicyActive: boolean;
}

/**
 * A point of the log. A commit number is the point before that commit; a larger number than the log has means its end. `event` is
 * the point after the commit that holds this event; if damage took the event, the point before the next readable commit.
 */
export type PastPoint = CommitSeq | { readonly event: number };

/** A past state, and the last commit that it includes. `commit` is `undefined` before the first commit, and where damage took it. */
export interface StateAt {
  readonly commit: Commit | undefined;
  readonly state: ConversationView;
}

/** The answer to a side question, and its cost. */
export interface AskResult {
  readonly text: string;
  readonly record: CallRecord;
}

/** Changes settings from the next step on. Each method resolves when the change is durable and waits for nothing else (P7). */
export interface ConversationSettings {
  /** Sets the policy that decides when a person is asked, as the wire describes it. Rejects `INVALID_INPUT`. */
  setConfirmationPolicy(policy: ConfirmationPolicyInput): Promise<void>;
  /**
   * Confirms that a person has checked the settings after damage: policy, analyzer, hooks, limits. Ends `state.damaged` and
   * nothing else. Setting a policy does not end it, because the other settings may still be unknown.
   */
  confirmDamage(): Promise<void>;
  /**
   * Sets the analyzer: a description as on the wire, or an object of the caller, which must be given again on resume. `null` removes it. An analyzer that
   * this runtime cannot find rates everything `HIGH`. Rejects `INVALID_INPUT` for an analyzer without a kind.
   */
  setSecurityAnalyzer(analyzer: SecurityAnalyzer | SecurityAnalyzerDescription | null): Promise<void>;
  /** Changes the named limits. Rejects `INVALID_INPUT` for a limit out of its range. */
  setLimits(limits: Partial<Limits>): Promise<void>;
  /**
   * Switches the agent to another model, of the kind that the agent takes. May also be called from inside a tool: a request under way ends on the old model,
   * and the next request asks the new model. The model is stored with the agent, so a conversation whose agent is rebuilt from the store keeps it; an agent
   * that is given on resume wins. Keys of the model are masked first (P9). Rejects `INVALID_INPUT` for a value that is not a model, and `UNSUPPORTED` when
   * the agent cannot change while it works; nothing is changed then.
   */
  setModel(model: unknown): Promise<void>;
  /** Turns the detection of loops on or off. */
  setStuckDetection(on: boolean): Promise<void>;
  /**
   * Adds, replaces and removes secrets (P9): masked at once, in the log as names and ciphertext, and in the environment of
   * processes that name them. Rejects `INVALID_INPUT`, and `UNSUPPORTED` when the runtime was given no vault.
   */
  updateSecrets(secrets: SecretUpdate): Promise<void>;
  /** The secrets that commands may name, by name. */
  readonly secrets: readonly SecretDescription[];
  /** The secrets without a value here, with the reasons. */
  readonly missingSecrets: readonly MissingSecret[];
  /** Keys `[a-z0-9]+`, values up to 256 characters. Replaces all. Rejects `INVALID_INPUT`. */
  setTags(tags: Readonly<Record<string, string>>): Promise<void>;
  /** 1 to 200 characters without the blanks around them, which are removed; `null` removes it. Rejects `INVALID_INPUT`. */
  setTitle(title: string | null): Promise<void>;
  /**
   * Lets the agent's model create a title from the first user message on the live branch, sets the title, and resolves with it
   * when it is durable. If the model gives no answer, the title is the beginning of that message, and the process warning
   * `TitleWarning` says why. `maxLength`: the maximum number of characters, default 50. Blocks nothing, even during a run. A title that was set meanwhile stays and is the result. Rejects
   * `INVALID_INPUT` when there is no message or `maxLength` is not a whole number from 1 to 200, and with `signal.reason`.
   */
  generateTitle(options?: { readonly maxLength?: number; readonly signal?: AbortSignal }): Promise<string>;
}

/** Options of a fork: its content, its id and its labels. */
export interface ForkInput {
  /** Default: a new UUID. */
  readonly id?: string;
  /** Keep only the path from the root to this event. Default: everything, with the same HEAD. */
  readonly from?: string;
  readonly title?: string;
  readonly tags?: Readonly<Record<string, string>>;
  /** Default `true`. */
  readonly resetMetrics?: boolean;
}

/** A recorded call that was run again. */
export interface RerunResult {
  readonly action: ActionEvent;
  /**
   * The new result: an ObservationEvent, an AgentErrorEvent of a tool that failed, or the UserRejectObservation of a hook that
   * blocked the call. It is in no log.
   */
  readonly result: EventDraft;
  /** True if there is no ObservationEvent; no further call is rerun. */
  readonly failed: boolean;
}

/** Reads the past of a conversation and moves in it. */
export interface ConversationHistory {
  /**
   * Creates an idle conversation from the content of this one. Settings, policy, agent and HEAD are kept, so it is never less strict (P10). It has only the
   * title and the tags that are given. Resolves with its id. Approvals and queued messages stay behind, and a call that runs here has an unknown outcome
   * there. Rejects `UNKNOWN_EVENT`, `EXISTS`, `INVALID_INPUT`, `UNSUPPORTED`.
   */
  fork(options?: ForkInput): Promise<string>;
  /**
   * Moves HEAD; `null` before the first event. Deletes nothing, runs nothing. The status becomes what the branch says: calls
   * without a result wait for approval, an answer is `finished`, else `idle`. An event of an edited call stands for the last one of
   * its commit, here and in `fork`. Rejects `UNKNOWN_EVENT`, `INVALID_INPUT` for an id that is no text, `BUSY` in a run or `condense`.
   */
  navigateTo(eventId: string | null): Promise<void>;
  /**
   * Asks the agent's condenser to shorten the model's view; the log keeps everything. Outside of a run it condenses at once, and `interrupt` cancels it.
   * During a run it resolves when the request is durable, and the next step condenses. A request without an answer, because of an error, an interruption or a
   * crash, is answered by the next step of the next run. Does nothing before the first message. Rejects `UNSUPPORTED` when the agent has no condenser that
   * takes requests, and as `askAgent` does when its model fails.
   */
  condense(): Promise<void>;
  /**
   * Runs the calls of the live branch again, in order and one after the other, to rebuild a restored workspace. Only calls whose
   * tools answered are rerun. Calls that were rejected, blocked, failed or interrupted are left out. Calls of client tools are
   * left out too, because no client would hear of them. Each call is rerun when its result is requested, and the first failed
   * call is the last. Appends no event and changes no status. The caller's request counts as approval, so neither policy nor
   * analyzer is asked; a command outside of the sandbox is rejected. `PreToolUse` hooks run and may block. Tools get the actions as
   * they are on record, and results are masked (P9).
   *
   * Rejects `UNKNOWN_TOOL` before any call if the agent lacks one of the tools. Rejects `BUSY` before each call while a run or a
   * goal is at work. Rejects with `signal.reason`; `interrupt` and `close` end it as they end a call. A run that begins waits for
   * the call in progress. Rejects `UNSUPPORTED` where the runtime executes no tools.
   */
  rerunActions(options?: { readonly signal?: AbortSignal }): AsyncIterable<RerunResult>;
  /**
   * The state at a point of the log. Runs no model and no tool. The first look at a part of a long log reads up to there; looks near it are fast afterwards,
   * because checkpoints stay in memory. Rejects `INVALID_INPUT` for a point that is not a number, and for an event that the log does not have.
   */
  at(point: PastPoint): Promise<StateAt>;
  /**
   * The log at a glance: marks of messages, approvals, errors and other points that a person looks for, and the cost. Reads the log
   * once, in one call or, with `within`, in several; later calls read what is new. Bounded, however long the log is: dense marks of a
   * kind are joined. Rejects `INVALID_INPUT`, and `UNSUPPORTED` where {@link ConversationFeatures.outline} is not set.
   */
  outline(options?: OutlineOptions): Promise<Outline>;
  /**
   * The messages that the model would get next at a point of the log: a page of them, with what is cached and what condensations
   * hide. An agent may add to the real request, such as the names of new secrets. Runs no model and no tool. Rejects as `at`, and
   * `UNSUPPORTED` where {@link ConversationFeatures.view} is not set.
   */
  view(point: PastPoint, page?: ViewPage): Promise<ModelView>;
  /** The state after every commit of the span, in order. Runs no model and no tool. */
  replay(range?: { from?: CommitSeq; to?: CommitSeq }): AsyncIterable<StateAt>;
  /** The commits of a span, ends exclusive, in order; by default all that are durable. */
  commits(range?: { from?: CommitSeq; to?: CommitSeq }): AsyncIterable<Commit>;
}

/** The answer of a conversation's caller to a call of its own tool. */
export interface CallAnswer {
  /** The content that the model reads: text, or parts of text and images. */
  readonly content: string | readonly ContentPart[];
  /** True if the call failed. Default `false`. */
  readonly isError?: boolean;
}

/** Capabilities of a runtime. Read by users and by the conformance suite. */
export interface ConversationFeatures {
  readonly fork: boolean;
  readonly commits: boolean;
  /** True if {@link Conversation.answerCall} is supported. Default `false`. */
  readonly answerCall?: boolean;
  /** True if {@link ConversationHistory.rerunActions} is supported. Default `false`. */
  readonly rerunActions?: boolean;
  /** True if {@link ConversationHistory.outline} is supported. Default `false`. */
  readonly outline?: boolean;
  /** True if {@link ConversationHistory.view} is supported. Default `false`. */
  readonly view?: boolean;
  /**
   * True if {@link Conversation.approve} and {@link Conversation.reject} take all pending actions together: ids of only some of
   * them are refused as `UNSUPPORTED`. Default `false`.
   */
  readonly wholeDecisions?: boolean;
  /** True if {@link ApproveOptions.edits} is supported. Default `false`. */
  readonly edits?: boolean;
  /** True if a fork made now would lack the key of its model. {@link ConversationSettings.setModel} on the fork brings it. Default `false`. */
  readonly keylessForks?: boolean;
}

/**
 * A conversation with an agent. Every command resolves when what it changed is durable. Rejects {@link ConversationError}
 * with `CLOSED` after `close`, `FENCED` after another process took it over, `STORE_FAILED` when the store fails.
 */
export interface Conversation extends AsyncDisposable {
  /** A dashed UUID. */
  readonly id: string;
  /** True if the conversation existed before it was opened; false if opening created it. */
  readonly resumed: boolean;
  /** Durable state; always the newest. */
  readonly state: ConversationView;
  readonly events: EventsList;
  /** Spans of its log that were found damaged, oldest first: what is missing, why, and which events were restored. */
  readonly damage: readonly Damage[];
  readonly settings: ConversationSettings;
  readonly history: ConversationHistory;
  readonly goal: ConversationGoal;
  readonly features: ConversationFeatures;
  /**
   * Commits a user message at once, even during a run, which then answers it before it ends. While tool calls are open it is
   * kept in `state.queue` and becomes an event when none is. Outside of a run it first rejects every pending action (P10).
   * Does not run. Rejects `INVALID_INPUT` for another role, `EVENT_TOO_LARGE` above 1 MiB.
   */
  sendMessage(message: MessageInput, options?: SendOptions): Promise<SentMessage>;
  /**
   * Lets the agent work until it finishes, is paused, needs approval, or meets a limit. If `approve` named pending actions, these are
   * executed and the others wait on. If it named none, running while they wait approves them all, unless a message is queued, which
   * rejects them. The policy in force decides on actions that an error or a limit left behind. Returns at once if the conversation is
   * finished without a new message, or has no message yet. Resolves when every subscriber was given the last event, waiting at most
   * `subscriberGrace`. Rejects `RUN_FAILED` when a step failed (status `error`), `BUSY` during a run.
   */
  run(options?: RunOptions): Promise<RunResult>;
  /** Stops after the current step. Has an effect only when the status is `idle` or `running`. */
  pause(): Promise<void>;
  /** Cancels model and tools; every unfinished call gets its result. Resolves when the run has returned. Without a run: as `pause`. */
  interrupt(): Promise<void>;
  /**
   * Approves exactly these pending actions, default all; the next run executes them and no others. The status stays `waiting_for_confirmation` until then.
   * Rejects `UNKNOWN_ACTION` for an action that is not pending or has started, `INVALID_INPUT` that names the action and the field for edits that its tool
   * does not take, and `UNSUPPORTED` for edits without {@link ConversationFeatures.edits}. Nothing is approved then.
   */
  approve(actionIds?: readonly string[], options?: ApproveOptions): Promise<void>;
  /** Rejects these pending actions, default all that have not started; the model reads `reason`. Rejects with the errors of `approve`. */
  reject(actionIds?: readonly string[], reason?: string): Promise<void>;
  /**
   * Answers a call of a client tool with `answers: 'caller'`, which runs until then: from when its action has started (`state.calls[actionId]` is `started`,
   * as it is by the action's own commit where nothing else is to be asked or waited for) until it is interrupted or its time is up. Resolves when the answer
   * is stored as the result of the call. Rejects `UNKNOWN_ACTION` when that call does not wait for an answer, or has another result; `INVALID_INPUT` for an
   * answer without valid content; `UNSUPPORTED` where the runtime has no such tools.
   */
  answerCall(actionId: string, answer: CallAnswer): Promise<void>;
  /** Asks the model about the conversation on the side. Changes nothing: no event, no status, no write (P8). */
  askAgent(question: string, options?: { signal?: AbortSignal }): Promise<AskResult>;
  /**
   * Resolves with the newest answer on the live branch: the agent's words, or the message of a finish call that went through;
   * else `''`. A finish call that a person rejected, a hook blocked or sent back, that failed or still waits does not count.
   */
  finalResponse(): Promise<string>;
  /** Follows the conversation; a function is a subscriber to its events. See {@link Subscriber}. */
  subscribe(subscriber: SubscriberInput, options?: SubscribeOptions): Subscription;
  /**
   * Interrupts a run, stores pending data, and gives up ownership. SessionEnd hooks run before that and are awaited, each up to
   * its time limit. Deletes nothing. Idempotent.
   */
  close(): Promise<void>;
}
