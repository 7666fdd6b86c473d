import { isConversationError, type AgentSession, type ConversationState, type Transaction } from '@conv/core';
import { drafts, type ActionEvent, type EventDraft } from '@conv/core/events';

import { dropHandles } from '../rules/call-handles.ts';
import { CallSchedule, type BlockedCall } from '../rules/call-schedule.ts';
import { appendHookEvents, tellModel, type ConversationHooks } from '../safeguards/conversation-hooks.ts';
import { enrichResult } from '../rules/enrich-result.ts';
import { executeCall } from './execute-call.ts';
import { failedResult, gaveUpResult, withChildren } from '../rules/interrupted-calls.ts';
import { appendQueued } from '../rules/message-queue.ts';
import { withdrawQuestions } from '../rules/questions.ts';
import { ResourceWaits } from './resource-waits.ts';
import { SideBySide } from './side-by-side.ts';
import { isPermitted, markStarted, resumeStarted, startNext, type NextCall } from '../rules/start-call.ts';
import { askBeforeCall, NO_REASON, tellAfterCall } from '../safeguards/tool-hooks.ts';

export interface CallBatchDeps {
  readonly state: ConversationState;
  readonly signal: AbortSignal;
  readonly hooks: ConversationHooks;
  /** Called last in the commit of a result. */
  readonly settle: (transaction: Transaction) => void;
}

/**
 * Runs the permitted calls of the live branch that may start now, and the calls that may start when these have ended. Each start and
 * each result is a commit. The start of the next call travels with a call's result, unless hooks come between them (P5, decision 15).
 *
 *     run, lookAgain ──► #startNext ◄────────────────────────── #goOnFrom ◄─────────────────────────┐
 *                          │   │  │                                                                 │
 *              no hooks:   │   │  └─ waits for a resource too long ──► #giveUp: a result ───────────┤
 *              started     │   └─ PreToolUse hooks ──► #ask ── not permitted, or rejected ──────────┤
 *                          ▼                            │ started                                   │
 *                      #perform ◄───────────────────────┘                                           │
 *                          └──► tool ──► #finish: its result ──► perhaps PostToolUse hooks ─────────┘
 *
 * The records of a call at each await:
 *
 *     awaits              log         #schedule   #executing
 *     PreToolUse hooks    permitted   holds it    –
 *     its tool            started     holds it    holds it
 *     PostToolUse hooks   result      holds it    –
 *     none             result      –           –
 *
 * Invariants:
 * - The log says `started` before a tool runs, so a process that takes over knows of each call that may have had effects.
 * - `#schedule` changes inside transactions alone, so two commits never begin calls side by side that must not overlap. If a commit
 *   is rejected, the schedule is ahead of the log; that failure ends the batch, and the next batch makes its schedule from the log.
 * - A person and other commands commit between any two transactions here. Each transaction looks again at what it builds upon.
 */
export class CallBatch {
  readonly #deps: CallBatchDeps;
  readonly #session: AgentSession;
  readonly #schedule: CallSchedule;
  readonly #work: SideBySide;
  readonly #waits: ResourceWaits;
  /** Calls whose tool has begun, until their result is durable; cancelled calls stay. */
  readonly #executing = new Set<string>();

  constructor(deps: CallBatchDeps, session: AgentSession) {
    this.#deps = deps;
    this.#session = session;
    this.#schedule = new CallSchedule(session);
    this.#work = new SideBySide(deps.signal);
    this.#waits = new ResourceWaits(deps.state.platform, (blocked) => this.#work.add(() => this.#giveUp(blocked)));
  }

  /** True if the tool of this open call has begun. The log may record a start of a tool that never began. */
  mayHaveRun(action: ActionEvent): boolean {
    return this.#executing.has(action.id);
  }

  /**
   * Resolves when no call is left. Rejects when all running calls have ended, with the first failure or the signal's reason; calls
   * that did not run stay open.
   */
  async run(): Promise<void> {
    this.#work.add(() => this.#commit((transaction) => this.#resumeStarted(transaction)));
    try {
      // a failure does not cut this await short: the run may record results for open calls only when no work of the batch can still
      // commit
      await this.#work.end();
    } finally {
      // no further call begins, so no timer may give up a call of a later batch
      this.#waits.update([]);
    }
  }

  /** Starts calls that a person has permitted meanwhile, so that they need not wait until another call ends. */
  lookAgain(): void {
    if (this.#schedule.limit === 1 || this.#schedule.size === 0) return;
    this.#work.add(() =>
      this.#commit(async (transaction) =>
        // a call that is permitted when no call runs is for the next run
        this.#schedule.size === 0 ? [] : this.#startNext(transaction),
      ),
    );
  }

  /** Commits `work`, then starts the calls whose turn it is. */
  async #commit(work: (transaction: Transaction) => Promise<readonly NextCall[]>): Promise<void> {
    const next = await this.#deps.state.transaction(work);
    // durable from here on, and only now: a tool never runs on a start that the log does not have
    for (const call of next) this.#work.add(() => this.#execute(call));
  }

  /** Resumes the calls that a step has started already, and starts the next calls. */
  async #resumeStarted(transaction: Transaction): Promise<readonly NextCall[]> {
    const started = resumeStarted(transaction, this.#schedule);
    return [...started, ...(await this.#startNext(transaction))];
  }

  async #execute({ action, started }: NextCall): Promise<void> {
    // fence: the batch may have ended while the start was stored; such a call has not begun, and `mayHaveRun` says so
    this.#work.signal.throwIfAborted();
    if (started || (await this.#ask(action))) await this.#perform(action);
  }

  /** Asks the hooks about a call that may start. Their answer and its consequence are one commit (P5). */
  async #ask(action: ActionEvent): Promise<boolean> {
    const { state, hooks } = this.#deps;
    const outcome = await askBeforeCall(state, hooks, action, this.#work.signal);
    let starts = false;
    await this.#commit(async (transaction) => {
      await appendHookEvents(transaction, outcome);
      // fence: a person may have rejected the call meanwhile, or a stricter policy may have taken its permission back
      if (isPermitted(transaction, action)) {
        starts = !outcome.blocked;
        if (starts) {
          markStarted(transaction, action);
          await tellModel(transaction, outcome.additionalContext, state);
          // the call keeps its place in the schedule, so no other call may begin instead
          return [];
        }
        await transaction.append(drafts.userReject(action, outcome.reason ?? NO_REASON, 'hook'));
      }
      return this.#goOnFrom(transaction, action);
    });
    return starts;
  }

  /** Runs a call that has started. */
  async #perform(action: ActionEvent): Promise<void> {
    const { state, hooks } = this.#deps;
    this.#executing.add(action.id);
    // a tool that fails has a result; only the signal rejects, and then the call stays in the set: it may have run
    const result = await executeCall(this.#session, action, state, this.#work.signal);
    const isFollowed = hooks.handles('PostToolUse', action.tool_name);
    await this.#finish(action, result, isFollowed);
    // behind the commit: until the result is durable, an interruption must say that the call may have run
    this.#executing.delete(action.id);
    if (!isFollowed) return;
    const outcome = await tellAfterCall(state, hooks, action, result, this.#work.signal);
    await this.#commit(async (transaction) => {
      await appendHookEvents(transaction, outcome);
      await tellModel(transaction, outcome.additionalContext, state);
      return this.#goOnFrom(transaction, action);
    });
  }

  /** Stores a result. With hooks behind it, the call keeps its place and its resources until the hooks were told. */
  #finish(action: ActionEvent, result: EventDraft, isFollowed: boolean): Promise<void> {
    return this.#commit(async (transaction) => {
      // fence: a person may have moved on from this call in the meantime, and a second result would answer nothing
      if (isOpen(transaction, action)) {
        const enriching = { state: this.#deps.state, session: this.#session };
        const known = withChildren(result, action, transaction.state);
        await appendResult(transaction, action, enrichResult(transaction, action, known, enriching));
        await withdrawQuestions(transaction, action);
        dropHandles(transaction);
      }
      if (!isFollowed) return this.#goOnFrom(transaction, action);
      await this.#settle(transaction);
      return [];
    });
  }

  /** Gives up a call that has waited too long for a resource of another call. */
  #giveUp({ action, key, holder }: BlockedCall): Promise<void> {
    return this.#commit(async (transaction) => {
      // fence: the call may have begun, or been rejected, while this commit waited for its turn
      if (this.#schedule.has(action) || !isPermitted(transaction, action)) return [];
      await transaction.append(gaveUpResult(action, key, holder, this.#deps.state));
      return this.#goOnFrom(transaction, action);
    });
  }

  /** Ends the call in the schedule and starts the next calls. */
  async #goOnFrom(transaction: Transaction, action: ActionEvent): Promise<readonly NextCall[]> {
    this.#schedule.end(action);
    const next = await this.#startNext(transaction);
    await this.#settle(transaction);
    return next;
  }

  async #startNext(transaction: Transaction): Promise<readonly NextCall[]> {
    if (this.#work.signal.aborted) return [];
    const isGated = ({ tool_name: tool }: ActionEvent): boolean => this.#deps.hooks.handles('PreToolUse', tool);
    const { next, blocked } = await startNext(transaction, this.#schedule, isGated);
    this.#waits.update(blocked);
    return next;
  }

  async #settle(transaction: Transaction): Promise<void> {
    await appendQueued(transaction);
    this.#deps.settle(transaction);
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
