import type { ActionEvent, EventDraft } from '../../events/index.ts';
import type { CommitSeq } from '../state/log-position.ts';
import type { Commit } from '../store/commit.ts';
import type { ConversationView } from './conversation-view.ts';
import type { ModelView, ViewPage } from './model-view.ts';
import type { Outline, OutlineOptions } from './outline.ts';

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
   * kind are joined. Rejects `INVALID_INPUT`, and `UNSUPPORTED` where `ConversationFeatures.outline` is not set.
   */
  outline(options?: OutlineOptions): Promise<Outline>;
  /**
   * The messages that the model would get next at a point of the log: a page of them, with what is cached and what condensations
   * hide. An agent may add to the real request, such as the names of new secrets. Runs no model and no tool. Rejects as `at`, and
   * `UNSUPPORTED` where `ConversationFeatures.view` is not set.
   */
  view(point: PastPoint, page?: ViewPage): Promise<ModelView>;
  /** The state after every commit of the span, in order. Runs no model and no tool. */
  replay(range?: { from?: CommitSeq; to?: CommitSeq }): AsyncIterable<StateAt>;
  /** The commits of a span, ends exclusive, in order; by default all that are durable. */
  commits(range?: { from?: CommitSeq; to?: CommitSeq }): AsyncIterable<Commit>;
}
