import {
  ConversationError,
  type EventsList,
  type MessageInput,
  type SentMessage,
  type StateFields,
  type Subscription,
  type SubscribeOptions,
} from '@conv/core';
import type { Platform } from '@conv/core/platform';
import { type CloseOptions, type Decision, type LocalConversation } from '@conv/local';
import { checkNewest } from '@conv/local/log';

import { BackgroundRuns, type RunObserver, type RunWork } from './background-runs.ts';
import type { Hands } from './conversation-executors.ts';
import { CountedStarts, type StartedBy } from './counted-starts.ts';
import { recoverInterrupted } from './recover-interrupted.ts';
import { Ending } from './ending.ts';
import type { LiveConversation, LiveSubscriber } from './live-conversation.ts';
import { LiveSubscription, type Followed } from './live-subscription.ts';
import type { RunSlots } from './run-slots.ts';
import { SentMessages, type SendOptions } from './sent-messages.ts';
import type { Usage } from '../usage/usage.ts';
import { undecidedCalls } from './undecided-calls.ts';

export interface HostedConversationDeps {
  readonly platform: Platform;
  readonly conversation: LocalConversation;
  /** Stops what acts for its tools. */
  readonly release: Hands['release'];
  readonly slots: RunSlots;
  readonly observer: RunObserver | undefined;
  /** Counts runs for the callers that start them. */
  readonly usage: Usage;
  readonly report: (error: unknown, doing: string) => void;
  /** Resolves with the number of events that the store has now. Rejects `ConversationError`. */
  readonly eventsNow: () => Promise<number>;
  /** Called when the last run has ended. */
  readonly rested: () => void;
}

/** The work of a run, and what belongs to its start. */
export interface StartedRun extends RunWork, StartedBy {
  /** Done right before the run, unless the caller is refused. */
  readonly prepare?: () => Promise<void>;
  /** The message that it is to answer, if that is the newest event. Default: it answers what there is. */
  readonly answers?: string | null;
}

/** A conversation that is loaded in this server: a local conversation, and the state that its clients share. */
export class HostedConversation implements LiveConversation {
  readonly id: string;
  readonly conversation: LocalConversation;
  readonly ownedElsewhere = false;
  readonly #runs: BackgroundRuns;
  readonly #starts: CountedStarts;
  readonly #messages: SentMessages;
  readonly #deps: HostedConversationDeps;
  readonly #live = new Set<LiveSubscription>();
  /** The same for all subscriptions, which are many. */
  readonly #followed: Followed;
  readonly ending: Ending = new Ending();
  /** True if the store has events of another owner, of whom the journal has not told yet. */
  #isTakenOver = false;
  #recovering = false;
  /** The number of commits when it was last looked at. */
  #seen = -1;
  #shown: { readonly of: StateFields; readonly fields: StateFields } | undefined;

  constructor(deps: HostedConversationDeps) {
    const { platform, conversation, slots, observer, usage, report, rested } = deps;
    this.#deps = deps;
    this.id = conversation.id;
    this.conversation = conversation;
    this.#runs = new BackgroundRuns({
      conversation,
      slots,
      observer,
      report: (error) => report(error, 'running'),
      statusChanged: () => this.#live.forEach((live) => live.refresh()),
      ended: () => {
        usage.ended(conversation.id);
        this.publishSnapshot();
        this.#recover();
        rested();
      },
    });
    const runs = this.#runs;
    const starts = (this.#starts = new CountedStarts({ conversation, runs, usage }));
    this.#messages = new SentMessages({ platform, conversation, runs, starts, usage, report });
    this.#followed = {
      conversation,
      fields: () => this.fields,
      ended: (subscription) => this.#live.delete(subscription),
    };
    const { lost } = conversation.state;
    const lose = (): void => this.end(lost.reason);
    lost.addEventListener('abort', lose, { once: true });
    // it may have been lost while it was opened
    if (lost.aborted) lose();
  }

  get fields(): StateFields {
    const { fields } = this.conversation.state;
    if (!this.#runs.pending || fields.executionStatus === 'running') return fields;
    if (this.#shown?.of !== fields) this.#shown = { of: fields, fields: { ...fields, executionStatus: 'running' } };
    return this.#shown.fields;
  }

  get events(): EventsList {
    return this.conversation.events;
  }

  get ended(): AbortSignal {
    return this.ending.signal;
  }

  /** False if the sender of the last message has a daily limit and started no run, so that no cost of the conversation counts for its day. */
  get isPaid(): boolean {
    return this.#messages.isPaid;
  }

  /** True if a run is active or waits for its slot. */
  get busy(): boolean {
    return this.#runs.active;
  }

  /**
   * Starts a run, or other work that consists of runs, in the background. Resolves when readers see that it is on, or that it
   * waits for its slot. Rejects `BUSY` when one is on, or something came after the message that it is to answer; `LimitReached` if the caller has used up
   * its day; and as `Conversation.run` or the work when it could not begin.
   */
  async start({ by, prepare, answers = null, ...work }: StartedRun = {}): Promise<void> {
    // who read that a run has ended may start the next one
    await this.#runs.leaving();
    const check = (): void => {
      if (answers !== null) checkNewest(this.conversation.state, answers);
    };
    const begin = async (): Promise<boolean> => {
      check();
      await prepare?.();
      await this.#runs.start(work);
      return true;
    };
    await this.#starts.begin(by, begin, check);
  }

  /** Forgets what can be read again, also what readers have read since, if there was no commit since the call before. Called at intervals. */
  async rest(): Promise<void> {
    const { seq } = this.conversation.state.end;
    const isIdle = seq === this.#seen && !this.busy && !this.ending.isOver;
    this.#seen = seq;
    if (isIdle) await this.conversation.rest();
  }

  /** Resumes a run whose process has ended. Resolves and rejects as {@link HostedConversation.start}. */
  resumeRun(): Promise<void> {
    return this.#runs.start({ go: () => this.conversation.resumeRun(), isRun: false });
  }

  /**
   * Sends a message; with `run` it is answered. Resolves and rejects as `Conversation.sendMessage`; with `LimitReached`, and nothing stored, if the caller
   * has used up its day. A run that cannot begin later is reported.
   */
  send(message: MessageInput, options?: SendOptions): Promise<SentMessage> {
    return this.#messages.send(message, options);
  }

  /** Approves the actions that are pending now and continues the run. Does nothing when nothing is pending. `decision` names who decides. */
  async approveAll({ by, ...decision }: Omit<Decision, 'by'> & StartedBy = {}): Promise<void> {
    if (this.conversation.state.pendingActions.length === 0) return;
    const asked = undecidedCalls(this.conversation).map(({ id }) => id);
    await this.#starts.begin(by, async () => {
      const name = by?.name ?? null;
      const at = new Date(this.#deps.platform.now()).toISOString();
      if (asked.length > 0)
        await this.conversation.approve(asked, { ...decision, ...(name === null ? {} : { by: name, at }) });
      return this.#runs.want();
    });
  }

  /** Stops after the current step; cancels a run that waits for its slot. */
  async pause(): Promise<void> {
    await this.#cancelWaiting();
    await this.conversation.pause();
    this.publishSnapshot();
  }

  /** Cancels the run. Resolves when it has ended. */
  async interrupt(): Promise<void> {
    await this.#cancelWaiting();
    await this.conversation.interrupt();
    await this.#runs.settled();
    this.publishSnapshot();
  }

  /**
   * See {@link LiveConversation.refresh}. The state of a writer is current, so events that only the store has are those of another process that took the
   * conversation, which this one has not noticed yet. The conversation ends here then, and its clients find its owner.
   */
  async refresh(): Promise<void> {
    const stored = await this.#deps.eventsNow();
    // commits of this process may be stored before it knows; if one of them fails, the conversation is lost or it was not stored
    await this.conversation.state.transaction(() => undefined).catch(() => undefined);
    if (stored <= this.events.length) return;
    const text = `expected at most ${this.events.length} events of conversation ${this.id} in the store, found ${stored}: another process has it; ask again`;
    this.#isTakenOver = true;
    this.end(new ConversationError('FENCED', text, { conversationId: this.id }));
  }

  subscribe(subscriber: LiveSubscriber, options: SubscribeOptions = {}): Subscription {
    const live = new LiveSubscription(this.#followed, subscriber, options);
    if (!options.signal?.aborted) this.#live.add(live);
    return live;
  }

  /** Sends the whole state to every follower. */
  publishSnapshot(): void {
    for (const live of this.#live) live.snapshot();
  }

  /** Tells followers that the conversation has ended here. */
  end(reason: unknown): void {
    this.ending.end(reason);
  }

  /**
   * Stores pending data and unloads the conversation. A run is interrupted. With `handOver` it is left to the next owner, after
   * at most `grace` milliseconds, and the log does not say that a user stopped it.
   *
   * Stops the executor of its tools before another server may own the conversation, because the next owner may use the same one.
   */
  async close(handOver?: { readonly grace: number }): Promise<void> {
    const { state } = this.conversation;
    const release = (): Promise<void> => this.#deps.release({ isTakenOver: this.#isTakenOver || state.lost.aborted });
    // tools in this process need not end before another one owns the conversation
    const isExecuted = state.fields.workspace['executor'] === true;
    try {
      await this.#close(isExecuted ? { beforeLeaving: release } : {}, handOver);
    } finally {
      // also where closing failed before
      await release();
    }
  }

  async #close(options: CloseOptions, handOver?: { readonly grace: number }): Promise<void> {
    if (!handOver) {
      await this.#runs.cancelWaiting();
      return this.conversation.close(options);
    }
    // a message that is being stored gets its answer, if not here, then from the next owner
    await this.#messages.settled();
    const wantsAnother = this.#runs.wantsAnother;
    await this.#runs.cancelWaiting();
    if (wantsAnother) {
      await this.#runs.settled();
      await this.conversation.scheduleRun();
    }
    return this.conversation.close({ ...options, runs: 'leave', ...handOver });
  }

  /** Recovers a run whose end could not be stored. */
  #recover(): void {
    if (this.#recovering || !this.#isInterrupted) return;
    this.#recovering = true;
    const recovered = recoverInterrupted({
      platform: this.#deps.platform,
      isInterrupted: () => this.#isInterrupted,
      recover: async () => {
        // its payer was forgotten when it ended
        await this.#deps.usage.recover(this.conversation);
        await this.resumeRun();
        // a run that fails at once is tried again after growing delays
        await this.#runs.settled();
      },
      ended: this.ended,
      report: (error) => this.#deps.report(error, 'recovering a run'),
    });
    void recovered.then(() => (this.#recovering = false));
  }

  get #isInterrupted(): boolean {
    return !this.#runs.active && this.conversation.interruptedRun;
  }

  /** Cancels a run that waits for its slot, and its record in the log. */
  async #cancelWaiting(): Promise<void> {
    await this.#runs.cancelWaiting();
    if (this.#isInterrupted) await this.conversation.cancelScheduledRun();
  }
}
