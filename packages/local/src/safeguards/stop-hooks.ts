import { type ConversationState, type HookOutcome, type Transaction, truncateMiddle } from '@conv/core';
import { drafts, eventGuards, isEvent, type Event, type EventOfKind, type FinishCall } from '@conv/core/events';

import { newest } from './branch-tail.ts';
import { appendHookEvents, type ConversationHooks } from './conversation-hooks.ts';
import { textOf } from '../rules/enrich-message.ts';
import { enterPhase } from '../rules/run-record.ts';
import { nextQuestion, type StopEvent, type StopQuestion } from './stop-question.ts';

/** Maximum characters of feedback that the model reads. */
const MAX_FEEDBACK = 50_000;

/** Lets `Stop` hooks send an answer back. The run stays active while they are asked. */
export class StopHooks {
  readonly #state: ConversationState;
  readonly #hooks: ConversationHooks;
  #question: StopQuestion = 'none';

  constructor(state: ConversationState, hooks: ConversationHooks) {
    this.#state = state;
    this.#hooks = hooks;
  }

  /** True if an answer waits for the hooks. */
  get due(): boolean {
    return this.#question === 'asked' || this.#question === 'askedAgain';
  }

  /** Keeps the run active in the commit of an answer, if there are hooks to ask. */
  hold(transaction: Transaction): void {
    if (!this.#hooks.handles('Stop')) return;
    transaction.update({ set: { executionStatus: 'running' } });
    enterPhase(transaction, 'answered');
    this.#on('hold');
  }

  /**
   * Asks the hooks again in the commit that resumes a run with its answer, because their earlier reply is unknown. Without hooks
   * the run has ended.
   */
  resume(transaction: Transaction): void {
    if (this.#hooks.handles('Stop')) this.#on('hold');
    else transaction.update({ set: { executionStatus: 'finished' } });
  }

  /** Drops the question, because a message came behind the answer and the run continues anyway. */
  drop(): void {
    this.#on('drop');
  }

  /** Ends the run, or continues it with the hooks' feedback on the answer. `isUnanswered` is true if a message came meanwhile. */
  async run(signal: AbortSignal, isUnanswered: (transaction: Transaction) => boolean): Promise<void> {
    const answer = await newest(this.#state.events, this.#state.leafEventId, isAnswer);
    const message = answer ? wordsOf(answer) : '';
    const stopHookActive = this.#question === 'askedAgain';
    const outcome = await this.#hooks.run({ type: 'Stop', message, stopHookActive }, signal);
    await this.#state.transaction(async (transaction) => {
      await appendHookEvents(transaction, outcome);
      if (outcome.blocked) {
        await transaction.append(drafts.environmentMessage(this.#feedback(outcome)));
        enterPhase(transaction, 'working');
      } else if (!isUnanswered(transaction)) transaction.update({ set: { executionStatus: 'finished' } });
    });
    this.#on(outcome.blocked ? 'blocked' : 'passed');
  }

  #on(event: StopEvent): void {
    this.#question = nextQuestion(this.#question, event);
  }

  #feedback({ reason, additionalContext }: HookOutcome): string {
    const said = [reason, additionalContext].filter((text) => text !== undefined && text.trim() !== '').join('\n');
    const text = this.#state.mask.text(said === '' ? 'The answer was not accepted.' : said);
    return `[Stop hook feedback] ${truncateMiddle(text, MAX_FEEDBACK)}`;
  }
}

type Answer = EventOfKind<'MessageEvent'> | FinishCall;

function isAnswer(event: Event): event is Answer {
  if (isEvent(event, 'MessageEvent')) return event.source === 'agent' && textOf(event).trim() !== '';
  return eventGuards.isFinishCall(event);
}

function wordsOf(answer: Answer): string {
  return answer.kind === 'MessageEvent' ? textOf(answer) : answer.action.message;
}
