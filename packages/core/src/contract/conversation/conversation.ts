import type { JsonObject } from '../../platform/json.ts';
import type { Limits } from '../state/limits.ts';
import type { ContentPart } from '../../events/index.ts';
import type { MissingSecret, SecretDescription, SecretUpdate } from '../safeguards/secret-vault.ts';
import type { SecurityAnalyzer } from '../safeguards/security-analyzer.ts';
import type { SecurityAnalyzerDescription } from '../state/stored-analyzer.ts';
import type { ConfirmationPolicyInput } from '../state/stored-policy.ts';
import type { ExecutionStatus } from '../state/fields.ts';
import type { CallRecord } from '../store/commit.ts';
import type { Damage } from '../state/log-position.ts';
import type { ConversationView } from './conversation-view.ts';
import type { EventsList } from './events-list.ts';
import type { ConversationGoal } from './goal.ts';
import type { ConversationHistory } from './history.ts';
import type { MessageInput } from './message-input.ts';
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
