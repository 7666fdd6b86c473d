import { isConversationError, type AgentSession, type ConversationState, type Transaction } from '@conv/core';
import { userReject, type ActionEvent, type EventDraft } from '@conv/core/events';

import { CallSchedule, type BlockedCall } from '../rules/call-schedule.ts';
import { appendHookEvents, tellModel, type ConversationHooks } from '../safeguards/conversation-hooks.ts';
import { enrichResult } from '../rules/enrich-result.ts';
import { executeCall } from './execute-call.ts';
import { failedResult, gaveUpResult, withChildren } from '../rules/interrupted-calls.ts';
import { appendQueued } from '../rules/message-queue.ts';
import { ResourceWaits, timer, type Timer } from './resource-waits.ts';
import type { SideBySide } from './side-by-side.ts';
import { isPermitted, markStarted, resumeStarted, startNext, type NextCall } from '../rules/start-call.ts';
import { askBeforeCall, NO_REASON, tellAfterCall } from '../safeguards/tool-hooks.ts';

/** What running calls needs of the run that they belong to. */
export interface CallRun {
  readonly state: ConversationState;
  readonly signal: AbortSignal;
  readonly hooks: ConversationHooks;
  /** Called in the commit of a result, after everything else of it. */
  readonly settle: (transaction: Transaction) => void;
  /** Default: that of the platform. */
  readonly timer?: Timer;
}

/**
 * The calls that may run now and those that may when these have ended. Each start and each result is a commit: what starts in
 * place of a call travels with its result, unless hooks come between them (P5).
 */
export class CallBatch {
  readonly #run: CallRun;
  readonly #session: AgentSession;
  readonly #schedule: CallSchedule;
  readonly #work: SideBySide;
  readonly #waits: ResourceWaits;
  readonly #executing = new Set<string>();

  constructor(run: CallRun, session: AgentSession, work: SideBySide) {
    this.#run = run;
    this.#session = session;
    this.#schedule = new CallSchedule(session);
    this.#work = work;
    this.#waits = new ResourceWaits(run.timer ?? timer, (blocked) => this.#work.add(() => this.#giveUp(blocked)));
  }

  /** Whether the tool of this open call was begun. */
  mayHaveRun(action: ActionEvent): boolean {
    return this.#executing.has(action.id);
  }

  /** Resolves when none is left; rejects with what one failed for, or the signal's reason, when none runs any more. */
  async run(): Promise<void> {
    this.#work.add(() => this.#commit((transaction) => this.#takeUp(transaction)));
    try {
      await this.#work.end();
    } finally {
      this.#waits.update([]);
    }
  }

  /** Begins what was permitted meanwhile. */
  lookAgain(): void {
    if (this.#schedule.limit === 1 || this.#schedule.size === 0) return;
    this.#work.add(() =>
      this.#commit(async (transaction) =>
        // what is permitted when none runs any more is for the next run
        this.#schedule.size === 0 ? [] : this.#startNext(transaction),
      ),
    );
  }

  /** One commit, and the calls whose turn it makes it. */
  async #commit(work: (transaction: Transaction) => Promise<readonly NextCall[]>): Promise<void> {
    const next = await this.#run.state.transaction(work);
    for (const call of next) this.#work.add(() => this.#carryOut(call));
  }

  /** A step may have started calls already. */
  async #takeUp(transaction: Transaction): Promise<readonly NextCall[]> {
    const started = resumeStarted(transaction, this.#schedule);
    return [...started, ...(await this.#startNext(transaction))];
  }

  async #carryOut({ action, started }: NextCall): Promise<void> {
    this.#work.signal.throwIfAborted();
    if (started || (await this.#ask(action))) await this.#perform(action);
  }

  /** Asks the hooks about a call that may start. What they say and what follows from it is one commit (P5). */
  async #ask(action: ActionEvent): Promise<boolean> {
    const { state, hooks } = this.#run;
    const outcome = await askBeforeCall(state, hooks, action, this.#work.signal);
    let starts = false;
    await this.#commit(async (transaction) => {
      await appendHookEvents(transaction, outcome);
      // a person may have rejected it meanwhile, or a stricter policy have taken it back
      if (isPermitted(transaction, action)) {
        starts = !outcome.blocked;
        if (starts) {
          markStarted(transaction, action);
          await tellModel(transaction, outcome.additionalContext, state);
          return [];
        }
        await transaction.append(userReject(action, outcome.reason ?? NO_REASON, 'hook'));
      }
      return this.#goOnFrom(transaction, action);
    });
    return starts;
  }

  /** Runs a call that has started. */
  async #perform(action: ActionEvent): Promise<void> {
    const { state, hooks } = this.#run;
    this.#executing.add(action.id);
    const result = await executeCall(this.#session, action, state.accepted, this.#work.signal);
    const isFollowed = hooks.handles('PostToolUse', action.tool_name);
    await this.#finish(action, result, isFollowed);
    this.#executing.delete(action.id);
    if (!isFollowed) return;
    const outcome = await tellAfterCall(state, hooks, action, result, this.#work.signal);
    await this.#commit(async (transaction) => {
      await appendHookEvents(transaction, outcome);
      await tellModel(transaction, outcome.additionalContext, state);
      return this.#goOnFrom(transaction, action);
    });
  }

  /** Stores a result. With hooks behind it the call keeps its place and what it holds until they were told. */
  #finish(action: ActionEvent, result: EventDraft, isFollowed: boolean): Promise<void> {
    return this.#commit(async (transaction) => {
      // a person may have moved on from this call in the meantime, and a second result would answer nothing
      if (isOpen(transaction, action)) {
        const enriching = { state: this.#run.state, session: this.#session };
        const known = withChildren(result, action, transaction.state);
        await appendResult(transaction, action, enrichResult(transaction, action, known, enriching));
      }
      if (!isFollowed) return this.#goOnFrom(transaction, action);
      await this.#settle(transaction);
      return [];
    });
  }

  /** Another call has held for too long what this one needs. */
  #giveUp({ action, key, holder }: BlockedCall): Promise<void> {
    return this.#commit(async (transaction) => {
      // it may have begun meanwhile
      if (this.#schedule.has(action) || !isPermitted(transaction, action)) return [];
      await transaction.append(gaveUpResult(action, key, holder, this.#run.state));
      return this.#goOnFrom(transaction, action);
    });
  }

  /** The call is over: others may begin. */
  async #goOnFrom(transaction: Transaction, action: ActionEvent): Promise<readonly NextCall[]> {
    this.#schedule.end(action);
    const next = await this.#startNext(transaction);
    await this.#settle(transaction);
    return next;
  }

  async #startNext(transaction: Transaction): Promise<readonly NextCall[]> {
    if (this.#work.signal.aborted) return [];
    const isGated = ({ tool_name: tool }: ActionEvent): boolean => this.#run.hooks.handles('PreToolUse', tool);
    const { next, blocked } = await startNext(transaction, this.#schedule, isGated);
    this.#waits.update(blocked);
    return next;
  }

  async #settle(transaction: Transaction): Promise<void> {
    await appendQueued(transaction);
    this.#run.settle(transaction);
  }
}

function isOpen({ openActions }: Transaction, { id }: ActionEvent): boolean {
  return openActions.some((open) => open.id === id);
}

async function appendResult(transaction: Transaction, action: ActionEvent, result: EventDraft): Promise<void> {
  try {
    await transaction.append(result);
  } catch (error) {
    if (!isConversationError(error)) throw error;
    await transaction.append(failedResult(action, `The tool ran, but its result cannot be stored: ${error.code}.`));
  }
}
