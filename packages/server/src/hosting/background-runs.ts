import { ConversationError, isConversationError, type ExecutionStatus, type StateFields } from '@conv/core';
import type { LocalConversation } from '@conv/local';

import type { RunSlot, RunSlots } from './run-slots.ts';

/** Callbacks for counting and tracing runs. Must not throw. */
export interface RunObserver {
  /** A run was accepted; it may have to wait for its slot. */
  accepted?(conversationId: string): void;
  /** The run got its slot. */
  started?(conversationId: string): void;
  /** The run has ended, with this status of the conversation; `error` is the error that the run rejected with. */
  ended?(conversationId: string, outcome: { readonly status: ExecutionStatus; readonly error?: unknown }): void;
}

export interface BackgroundRunsDeps {
  readonly conversation: LocalConversation;
  readonly slots: RunSlots;
  readonly observer: RunObserver | undefined;
  /** Called when the status shown to readers changed without a change of the state. */
  readonly statusChanged: () => void;
  /** Called when no run is active or waiting. */
  readonly ended: () => void;
  readonly report: (error: unknown) => void;
}

/** The work of a run. */
export interface RunWork {
  /** The work itself. Default: a run of the conversation. */
  readonly go?: () => Promise<unknown>;
  /** Maximum number of model responses in the run. Default: the conversation's limit. */
  readonly maxIterations?: number;
  /** False for a caller that may not approve: actions that wait for a person when the run gets its slot go on waiting. Default `true`. */
  readonly approves?: boolean;
  /** True if another process can continue the work as a run, so that the log says that it waits for its slot. Default `true`. */
  readonly isRun?: boolean;
}

interface Active {
  readonly isRun: boolean;
  readonly slot: RunSlot;
  /** Resolves when the log says that the run waits, so that the next process resumes it if this one ends first. */
  readonly noted: Promise<boolean>;
  readonly begun: PromiseWithResolvers<void>;
  readonly cancelled: AbortController;
  done: Promise<void>;
  /** `accepted` until the state says `running`. */
  phase: 'accepted' | 'on';
  /** Set by a message that may have come too late for the run. Another run starts if the message was left unanswered. */
  again: 'always' | 'ifIdle' | undefined;
  /** Resolves when another run is wanted behind this one. */
  readonly followed: PromiseWithResolvers<void>;
}

/**
 * Runs without a waiting client: they continue when the client that started them has gone, and their outcome is in the state. One
 * run at a time. Readers see `running` from the moment a run is accepted, also while it waits for a slot.
 */
export class BackgroundRuns {
  readonly #deps: BackgroundRunsDeps;
  #active: Active | undefined;

  constructor(deps: BackgroundRunsDeps) {
    this.#deps = deps;
  }

  /** True if a run is on or waits for its slot. */
  get active(): boolean {
    return this.#active !== undefined;
  }

  /** True if a run was accepted that the state does not show yet. */
  get pending(): boolean {
    return this.#active?.phase === 'accepted';
  }

  /** True if the run is about to end and another run is wanted after it. */
  get wantsAnother(): boolean {
    return this.#active?.again === 'always';
  }

  /**
   * Resolves when a run that has told its end is out of the way: it is gone, or another one follows it. Nothing else is waited for, other work
   * that consists of runs in particular.
   */
  async leaving(): Promise<void> {
    const active = this.#active;
    if (active?.isRun !== true || active.phase !== 'on' || active.again !== undefined) return;
    if (this.#deps.conversation.state.executionStatus === 'running') return;
    await Promise.race([active.done, active.followed.promise]);
  }

  /**
   * Starts a run, or other work that consists of runs, in the background. Resolves when the state says so, or when the run has to
   * wait for its slot. Rejects `BUSY` when one is on, and as `Conversation.run` or the work when it could not begin. The failure
   * of a run that began is in the state.
   */
  async start({ maxIterations, isRun = true, approves = true, ...work }: RunWork = {}): Promise<void> {
    const { conversation, slots } = this.#deps;
    const limit = maxIterations === undefined ? {} : { maxIterations };
    const { go = () => conversation.run({ ...limit, approves }) } = work;
    if (this.#active) throw busy(conversation.id);
    const slot = slots.take();
    const active: Active = {
      isRun,
      slot,
      noted: isRun && !slot.free ? conversation.scheduleRun(limit) : Promise.resolve(false),
      begun: Promise.withResolvers<void>(),
      cancelled: new AbortController(),
      done: Promise.resolve(),
      phase: 'accepted',
      again: undefined,
      followed: Promise.withResolvers<void>(),
    };
    this.#active = active;
    this.#deps.observer?.accepted?.(conversation.id);
    active.done = this.#drive(active, go);
    active.begun.promise.catch(() => {});
    this.#deps.statusChanged();
    await (slot.free ? active.begun.promise : active.noted);
  }

  /**
   * Starts a run that answers a message, unless an active run does; false if one does. Resolves and rejects as {@link BackgroundRuns.start}.
   */
  async want(): Promise<boolean> {
    const active = this.#active;
    if (!active) {
      // what the message did not supersede was asked about later
      await this.start({ approves: false });
      return true;
    }
    const { state } = this.#deps.conversation;
    if (state.executionStatus !== 'running') {
      active.again = active.phase === 'on' ? 'always' : 'ifIdle';
      active.followed.resolve();
    }
    return false;
  }

  /** Cancels a run that waits for its slot. A run that has begun continues. */
  async cancelWaiting(): Promise<void> {
    const active = this.#active;
    if (!active) return;
    active.again = undefined;
    active.cancelled.abort();
    if (active.phase === 'accepted' && !active.slot.free) await Promise.race([active.done, active.begun.promise]);
  }

  async settled(): Promise<void> {
    while (this.#active) await this.#active.done;
  }

  async #drive(active: Active, go: () => Promise<unknown>): Promise<void> {
    const { observer, conversation, ended } = this.#deps;
    let error: unknown;
    try {
      if (await this.#turn(active)) {
        observer?.started?.(conversation.id);
        error = await this.#run(active, go);
        while (this.#goesOn(active)) error = await this.#run(active, () => conversation.run({ approves: false }));
      }
    } finally {
      active.slot.release();
      this.#active = undefined;
      const status = conversation.state.executionStatus;
      observer?.ended?.(conversation.id, { status, ...(error === undefined ? {} : { error }) });
      active.begun.resolve();
      this.#deps.statusChanged();
      ended();
    }
  }

  /** Waits for the run's slot; resolves with false if the run was cancelled meanwhile. */
  async #turn({ slot, cancelled, noted }: Active): Promise<boolean> {
    if (slot.free) return true;
    const isNoted = await noted.then(
      () => true,
      () => false,
    );
    if (!isNoted) return false;
    const { promise, resolve } = Promise.withResolvers<false>();
    cancelled.signal.addEventListener('abort', () => resolve(false), { once: true });
    if (cancelled.signal.aborted) return false;
    return Promise.race([slot.turn.then(() => true), promise]);
  }

  /** Resolves with the error that the run rejected with. */
  async #run(active: Active, go: () => Promise<unknown>): Promise<unknown> {
    const { conversation, report } = this.#deps;
    active.again = undefined;
    const over = new AbortController();
    try {
      const onStateChange = ({ executionStatus }: StateFields): void => this.#see(active, executionStatus);
      conversation.subscribe({ onStateChange }, { signal: over.signal });
      const worked = go();
      // readers already see a scheduled or resumed run as running
      this.#see(active, conversation.state.executionStatus);
      await worked;
      return undefined;
    } catch (error) {
      if (isConversationError(error, 'RUN_FAILED')) return error;
      if (active.phase === 'on') report(error);
      else active.begun.reject(error);
      return error;
    } finally {
      over.abort();
    }
  }

  #goesOn({ again }: Active): boolean {
    return again === 'always' || (again === 'ifIdle' && this.#deps.conversation.state.executionStatus === 'idle');
  }

  #see(active: Active, status: ExecutionStatus): void {
    if (status !== 'running' || active.phase === 'on') return;
    active.phase = 'on';
    active.begun.resolve();
  }
}

function busy(conversationId: string): ConversationError {
  return new ConversationError('BUSY', `a run of conversation ${conversationId} is in progress; wait for its end`, {
    conversationId,
  });
}
