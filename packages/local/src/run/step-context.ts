import {
  ConversationError,
  type AgentSession,
  type CondensableView,
  type ConversationState,
  type JsonObject,
  type SecretDescription,
  type StateFields,
  type StepContext,
  type TokenDelta,
  type Transaction,
} from '@conv/core';
import { eventGuards, type ActionEvent, type Event, type EventDraft, type EventDraftOfKind } from '@conv/core/events';
import type { CallRecord } from '@conv/core/store';

import { AnswerStream } from './answer-stream.ts';
import { allowActions, recordAssessments } from '../rules/approvals.ts';
import type { Budget } from '../rules/budget.ts';
import { CallSchedule } from '../rules/call-schedule.ts';
import type { Safeguards } from '../safeguards/safeguards.ts';
import { appendQueued } from '../rules/message-queue.ts';
import { seenBy } from '../safeguards/prompt-hooks.ts';
import type { Verdicts } from '../safeguards/risk-assessments.ts';
import { shownAnalysis, showsAnalysis } from '../rules/shown-analysis.ts';
import { resumeStarted, startNext } from '../rules/start-call.ts';

/** Dependencies of {@link LocalStepContext} that come from the run. */
export interface StepRun {
  readonly state: ConversationState;
  readonly signal: AbortSignal;
  readonly safeguards: Safeguards;
  readonly budget: Budget;
  /** The session whose step it is. It tells how many of its calls may run at the same time, and their resources. */
  readonly session: Pick<AgentSession, 'resources' | 'toolConcurrency'>;
  /** Called last in each commit of the step. */
  readonly settle: (transaction: Transaction) => void;
  /** Called with the newest user message that the step answers: the newest at its beginning, or a newer one in its view. */
  readonly sawMessage: (id: string | null) => void;
  /** Called in the commit of an answer, because later messages need not wait. */
  readonly answered: () => void;
}

/** Context of one step of the agent. It is closed when the step ends, so that an abandoned step writes nothing more. */
export class LocalStepContext implements StepContext {
  readonly signal: AbortSignal;
  readonly #run: StepRun;
  readonly #answer: AnswerStream;
  #closed = false;

  constructor(run: StepRun) {
    this.#run = run;
    this.signal = run.signal;
    this.#answer = new AnswerStream(run.state, run.safeguards);
    // an agent may know the messages without asking for the view
    this.#sawMessage();
  }

  get state(): StateFields {
    return this.#run.state.accepted;
  }

  get secrets(): readonly SecretDescription[] {
    return this.#run.safeguards.secrets?.secrets ?? [];
  }

  get onToken(): ((delta: TokenDelta) => void) | undefined {
    if (!this.#run.state.subscriptions.wantsTokens) return undefined;
    return (delta) => {
      if (!this.#closed) this.#answer.write(delta);
    };
  }

  async view(): Promise<readonly Event[]> {
    return (await this.condensableView()).events;
  }

  async condensableView(): Promise<CondensableView> {
    const fields = this.#sawMessage();
    return this.#run.state.condensableView(seenBy(fields));
  }

  emit(drafts: readonly EventDraft[], records: readonly CallRecord[] = []): Promise<readonly Event[]> {
    return this.#answer.store(drafts, (named) => this.#emit(named, records));
  }

  setAgentState(patch: JsonObject): Promise<void> {
    return this.#write((transaction) => transaction.update({ add: { agentState: patch } }));
  }

  close(): void {
    this.#closed = true;
    void this.#answer.end(this.signal.aborted ? 'cancelled' : 'failed');
  }

  /** Notes the newest message as the message that the model answers. */
  #sawMessage(): StateFields {
    const { state, sawMessage } = this.#run;
    const { fields } = state;
    const { lastUserMessageId: newest, uncheckedMessages } = fields;
    // a message that the hooks have not checked is for the next step
    if (newest === null || !uncheckedMessages.includes(newest)) sawMessage(newest);
    return fields;
  }

  /** Stores the events of a response. Actions are rated before the lock is taken, because an analyzer may take its time. */
  async #emit(drafts: readonly EventDraft[], records: readonly CallRecord[]): Promise<readonly Event[]> {
    const { state, signal, safeguards } = this.#run;
    const asked = safeguards.risks.ask(state, drafts.filter(isExecutable), signal);
    // fence: the step may be closed during the await; `#write` looks inside the lock, so no abandoned step commits
    const verdicts = asked ? await asked : undefined;
    return this.#write(async (transaction) => {
      const { executionStatus: before } = transaction.state;
      const events = await transaction.append(...drafts);
      transaction.record(...records);
      // events that the agent adds to its own answer are for the model and do not end the run
      if (before === 'running' && transaction.state.executionStatus === 'idle')
        transaction.update({ set: { executionStatus: 'running' } });
      await this.#decide(transaction, events.filter(isExecutable), records, verdicts);
      await appendQueued(transaction);
      this.#run.answered();
      this.#run.settle(transaction);
      return events;
    });
  }

  /**
   * Allows all actions of one response or holds all back, as the policy in force says, in the commit that stores them. When the
   * budget is used up, none starts.
   */
  async #decide(
    transaction: Transaction,
    actions: readonly ActionEvent[],
    records: readonly CallRecord[],
    verdicts: Verdicts | undefined,
  ): Promise<void> {
    if (actions.length === 0) return;
    const { budget, safeguards, session } = this.#run;
    const { risks, hooks } = safeguards;
    risks.note(actions, verdicts, transaction.openActions);
    const { state } = transaction;
    if (showsAnalysis(state, actions)) await transaction.append(shownAnalysis(state, actions, risks));
    if (risks.holdsBack(transaction.state, actions)) recordAssessments(transaction, actions, risks);
    else if (isFinish(actions) || budget.usedUp(transaction.state, records) === undefined)
      allowActions(transaction, actions);
    else return;
    const isGated = ({ tool_name: tool }: ActionEvent): boolean => hooks.handles('PreToolUse', tool);
    const schedule = new CallSchedule(session);
    resumeStarted(transaction, schedule);
    await startNext(transaction, schedule, isGated);
  }

  #write<T>(work: (transaction: Transaction) => T | Promise<T>): Promise<T> {
    return this.#run.state.transaction((transaction) => {
      // looked at with the lock held: a write that was queued before the end of the step is refused as well
      if (this.#closed)
        throw new ConversationError('CLOSED', 'the step has ended; use the context of the current step');
      return work(transaction);
    });
  }
}

/** True if a draft or an event is an action that a tool can run. */
function isExecutable<E extends EventDraft | Event>(event: E): event is E & EventDraftOfKind<'ActionEvent'> {
  return event.kind === 'ActionEvent' && 'action' in event && event.action !== undefined && event.action !== null;
}

/** True if the response is the final answer, which costs nothing more. */
function isFinish(actions: readonly ActionEvent[]): boolean {
  const [only] = actions;
  return actions.length === 1 && only !== undefined && eventGuards.isFinishCall(only);
}
