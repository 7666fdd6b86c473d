import type { AskResult } from '../conversation/conversation.ts';
import type { TokenDelta } from '../conversation/subscriber.ts';
import type { Consultation } from '../safeguards/hooks.ts';
import type { Cipher, SecretDescription } from '../safeguards/secret-vault.ts';
import type { ActionEvent, Event, EventDraft, EventDraftOfKind, GoalVerdict } from '../../events/index.ts';
import { isObject, type JsonObject } from '../../platform/json.ts';
import type { CallRecord } from '../store/commit.ts';
import type { StateFields } from '../state/fields.ts';
import type { ToolProvider, ToolSession, ToolSource } from '../tool/tool.ts';

/** The input of a condenser: the events that the model is asked with, and the places where they may be cut. */
export interface CondensableView {
  /** As the model sees them: repaired, masked, without an open batch (P5). */
  readonly events: readonly Event[];
  /** True if a condensation is requested and has not been made yet. */
  readonly requested: boolean;
  /**
   * Positions in `events`, ascending, with 0 and `events.length`. The events between two cuts can be forgotten alone: no cut
   * divides a batch, a call and its result, or a run of reasoning.
   */
  readonly cuts: readonly number[];
  /**
   * For each event the `summary_offset` of a Condensation that puts its summary where this event stands. This is not the event's
   * position, because a view also counts events that no model sees.
   */
  readonly offsets: readonly number[];
}

/** The interface of a step to its conversation. A step writes through it, because only the conversation commits. */
export interface StepContext {
  /** The accepted state. */
  readonly state: StateFields;
  /** Aborted by `interrupt`, by `close` and when the conversation is lost. */
  readonly signal: AbortSignal;
  /**
   * Resolves with the events that the model sees, repaired and in order, without an open batch. A step answers the messages
   * that were there when it began, and the messages in its view. Messages that come later get another step.
   */
  view(): Promise<readonly Event[]>;
  /** Resolves with the same events, with the places where they may be cut and with any request for a condensation. */
  condensableView(): Promise<CondensableView>;
  /**
   * Appends events and call records as one commit; resolves with the stored events when they are durable.
   * Executable ActionEvents are approved or held back by the conversation, never by the agent.
   */
  emit(drafts: readonly EventDraft[], records?: readonly CallRecord[]): Promise<readonly Event[]>;
  /** Merges into `state.agentState`. */
  setAgentState(patch: JsonObject): Promise<void>;
  /** The secrets that commands may name, by name. Values are never here. */
  readonly secrets: readonly SecretDescription[];
  /** Receives deltas, which are masked on their way. `undefined` without a listener, so that a model need not stream. */
  readonly onToken: ((delta: TokenDelta) => void) | undefined;
}

/**
 * The outcome of a step. `finished`: it gave its final answer. `continue`: it acted, so there may be calls to run, or more to think about. `condensed`: it
 * only shortened the model's view, or requested that; no model response is counted, and the next step continues.
 */
export type StepOutcome = 'continue' | 'finished' | 'condensed';

/** The interface of a call to its conversation while its tool runs. */
export interface CallContext {
  /** Aborted when the call is interrupted. The call ends at once, and a tool that continues anyway is abandoned. */
  readonly signal: AbortSignal;
  /** Milliseconds that the call may take; the agent may have a shorter limit of its own. */
  readonly timeout?: number;
  /** See `ToolContext.onOutput`. */
  readonly onOutput?: (text: string) => void;
}

/** The judgement of an objective by the judge. */
export interface GoalJudgement {
  readonly verdict: GoalVerdict;
  readonly record: CallRecord;
}

/** An agent that works in one conversation, with its tools created and its model ready. */
export interface AgentSession {
  /** All tools, built-ins included, in the order in which the model sees them. */
  readonly tools: readonly { readonly name: string; readonly readOnly: boolean }[];
  /**
   * The maximum number of calls that run at the same time, from 1. Calls that share a resource still run one after the other,
   * see {@link AgentSession.resources}. Default 1: one call after the other.
   */
  readonly toolConcurrency?: number;
  /** The SystemPromptEvent that a new conversation starts with; it names the secrets. */
  systemPrompt(options?: { readonly secrets?: readonly SecretDescription[] }): EventDraft;
  /**
   * Asks the model once and emits its answer: a message, or one ActionEvent for each call. Each invalid call is followed by its
   * AgentErrorEvent. Runs no tool. If the history must be condensed first, it emits a Condensation or a CondensationRequest
   * instead. Rejects with the model's typed error, or `signal.reason`.
   */
  step(context: StepContext): Promise<StepOutcome>;
  /**
   * Answers the CondensationRequest that is on the live branch: emits a Condensation, an empty one when there is nothing to condense. Rejects as `step`, and
   * the request then waits for the next step. Absent when the agent has no condenser that takes requests.
   */
  condense?(context: StepContext): Promise<void>;
  /** Returns the resources that the call of `action` needs for itself, see `Tool.resources`. */
  resources(action: ActionEvent): readonly string[] | undefined;
  /**
   * Returns the additions to the result of a call, now that its tool has answered. `activated` holds the names of the rules
   * that the conversation has had. Changes nothing and answers at once. It is called within the commit of the result, so that
   * only one of several concurrent calls brings a rule. Default: nothing.
   */
  enrichResult?(
    action: ActionEvent,
    known: { readonly activated: readonly string[] },
  ): {
    /** Texts that are appended to the result for the model. */
    readonly extendedContent: readonly string[];
    /** Names of the rules among these texts. A conversation gets each rule once. */
    readonly activatedRules: readonly string[];
  };
  /** Returns a call like `action` with other arguments and an id of its own. Throws `ToolError` `INVALID_INPUT` that names the wrong arguments. Absent when calls cannot be edited. */
  edit?(action: ActionEvent, args: JsonObject): EventDraftOfKind<'ActionEvent'>;
  /** Runs the tool of one action. Resolves with an ObservationEvent or an AgentErrorEvent, whatever the tool does; rejects only with `signal.reason`. */
  execute(action: ActionEvent, context: CallContext): Promise<EventDraft>;
  /** Answers a question about the conversation, as `view` shows it, without tools. Emits nothing. */
  answer(question: string, view: readonly Event[], signal: AbortSignal): Promise<AskResult>;
  /**
   * Judges from what `view` shows whether the whole objective is reached. Asks a model once, without tools; emits nothing. Rejects with the model's typed
   * error, which also covers an answer without a verdict, or with `signal.reason`. Absent when the agent cannot judge.
   */
  judge?(objective: string, view: readonly Event[], signal: AbortSignal): Promise<GoalJudgement>;
  /**
   * Resolves with a title for a conversation that begins with this message, of about `maxLength` characters at most; blank when the model has none. Asks
   * a model once, with `prompt` in the place of the usual question; emits nothing. Rejects as `judge` does. Absent when the agent cannot create titles.
   */
  title?(message: string, maxLength: number, signal: AbortSignal, prompt?: string): Promise<AskResult>;
  /** Asks the model once, with the instructions in `question`, without tools and conversation; emits nothing. Rejects as `judge` does. Absent when the agent cannot be consulted. */
  consult?(question: Consultation, signal: AbortSignal): Promise<AskResult>;
  /**
   * Returns what the interruption of a step leaves to be told: events that are stored before the InterruptEvent, and changes of `state.agentState` in
   * the same commit. It is called within that commit, when no step works any more. Default: nothing.
   */
  interrupted?(): { readonly events: readonly EventDraft[]; readonly agentState: JsonObject };
  /**
   * Switches to this agent, which differs in its model alone. Steps and side questions that begin from now on ask its model; tools stay as they are. Throws
   * `TypeError` for an agent that it cannot switch to. Absent when the agent cannot change while it works.
   */
  switchTo?(agent: Agent): void;
  /** Releases the tools' processes. Idempotent. */
  close(): Promise<void>;
}

/** The additions of an agent to a message of its user. */
export interface Enrichment {
  /** Texts that are appended to the message for the model. */
  readonly extendedContent: readonly string[];
  /** Names of the skills among these texts. A conversation gets each skill once. */
  readonly activatedSkills: readonly string[];
}

/** A description of an agent that can work in any number of conversations. Immutable. */
export interface Agent {
  /**
   * The agent as the wire's agent object. Secrets appear in it in plain text, encrypted by the caller's cipher, or as
   * `**********`. Without a cipher, `encrypted` falls back to `redacted`.
   */
  describe(options?: { secrets?: 'plain' | 'encrypted' | 'redacted'; cipher?: Cipher }): JsonObject;
  /** Returns values that must never show, such as the keys of its model. They are masked wherever they occur (P9). */
  readonly secretValues?: () => readonly string[];
  /**
   * Returns the agent's tools as the caller gave them, for a runtime that executes tools in another place. A function, so that
   * logging an agent does not print them. Default: not known.
   */
  readonly tools?: () => readonly (ToolSource | ToolProvider)[];
  /** Returns definitions of the sub-agents of its tools, as clients send them. Throws if a sub-agent cannot be sent. Default: none. */
  readonly subAgents?: () => readonly JsonObject[];
  /** Names of its tools, for the check on resume that none was removed. */
  readonly toolNames: readonly string[];
  /**
   * Returns the additions to a user's message of this text. `activated` holds the names of the skills that the conversation has
   * had. Changes nothing and answers at once, the same each time, because it is called within the commit of the message (P7).
   */
  enrich?(text: string, known: { readonly activated: readonly string[] }): Enrichment;
  /**
   * Starts a session. Resolves when its tools can be listed; rejects when two tools share a name or a tool cannot be created.
   * Aborting `signal` while they are created stops what can be stopped; later it has no effect.
   */
  start(session: ToolSession, options?: { readonly signal?: AbortSignal }): Promise<AgentSession>;
  /** Returns the same agent with another model. The implementation decides what a model is; throws `TypeError` for any other value. */
  withModel(model: unknown): Agent;
}

/** True if `value` can be started as an agent. */
export function isAgent(value: unknown): value is Agent {
  return isObject(value) && typeof value['start'] === 'function' && typeof value['describe'] === 'function';
}

/** Builds agents from their descriptions, so that a stored conversation finds its agent again. */
export interface AgentFactory {
  /** Resolves `undefined` when this factory does not know such an agent. Rejects when a needed key or tool is missing. */
  revive(description: JsonObject, options?: { cipher?: Cipher }): Promise<Agent | undefined>;
  /** Returns the names of tools in the description that this factory cannot provide; the agent works without them. Default: none. */
  missingTools?(description: JsonObject): readonly string[];
}
