import { checks, type ConversationState } from '@conv/core';
import { eventGuards, isEvent, type ActionEvent, type Event, type ObservationLikeEvent } from '@conv/core/events';
import { isToolError, text, type JsonObject, type ToolContext, type ToolResult } from '@conv/core/tool';
import { questions } from '@conv/openhands/client-tools';

import { appendQueued } from '../rules/message-queue.ts';
import { answerQuestion, appendQuestion, askingCall, openQuestions } from '../rules/questions.ts';
import { newest } from '../safeguards/branch-tail.ts';
import { ResultWatch } from './result-watch.ts';

/**
 * The questions to the user: calls of `ask_user`. A question is in the log until its result is, so it waits for the log alone: for
 * an answer, for a message of the user, or for the end of the call that asks. It outlives processes and runs.
 */
export class Questions {
  readonly #state: ConversationState;

  constructor(state: ConversationState) {
    this.#state = state;
  }

  /**
   * Carries out a call of `ask_user`. Another tool asks by the same way: the id of its call, `_ask_` and a number are the id of
   * its question, which is asked once. Resolves with the result in the log; rejects with `signal.reason`.
   */
  async ask({ toolCallId, signal }: ToolContext, input: JsonObject): Promise<ToolResult> {
    // first, because the result may come while the question is stored
    const watch = new ResultWatch(this.#state, { tool_call_id: toolCallId });
    try {
      const isOpen = await this.#state.transaction((transaction) => this.#open(transaction, toolCallId, input));
      const before = isOpen
        ? undefined
        : await newest(this.#state.events, this.#state.leafEventId, resultOf(toolCallId));
      return toToolResult(before ?? (await watch.next(signal)));
    } finally {
      watch.close();
    }
  }

  /**
   * Stores the answer to a question; resolves with true when it is durable, and with false for an action that is no open question.
   * Rejects `INVALID_INPUT` for an answer that does not fit. No run is needed.
   */
  answer(actionId: string, answer: ToolResult): Promise<boolean> {
    return this.#state.transaction(async (transaction) => {
      const action = openQuestions(transaction).find(({ id }) => id === actionId);
      if (!action) return false;
      await answerQuestion(transaction, action, checked(action, answer));
      await appendQueued(transaction);
      return true;
    });
  }

  /** Returns true if the question is open. Asks a question of another call that was not asked yet. */
  async #open(
    transaction: Parameters<Parameters<ConversationState['transaction']>[0]>[0],
    toolCallId: string,
    input: JsonObject,
  ): Promise<boolean> {
    const { openActions } = transaction;
    if (openActions.some(({ tool_call_id: id }) => id === toolCallId)) return true;
    const call = openActions.find(({ tool_call_id: id }) => id === askingCall(toolCallId));
    if (!call || (await newest(this.#state.events, this.#state.leafEventId, resultOf(toolCallId)))) return false;
    await appendQuestion(transaction, call, toolCallId, input);
    return true;
  }
}

function checked(action: ActionEvent, answer: ToolResult): ToolResult {
  try {
    return questions.answerTo(questions.read(action), answer);
  } catch (error) {
    throw isToolError(error) ? checks.invalid(error.message, error) : error;
  }
}

function resultOf(toolCallId: string): (event: Event) => event is ObservationLikeEvent {
  return (event): event is ObservationLikeEvent =>
    eventGuards.isObservationLike(event) && event.tool_call_id === toolCallId;
}

function toToolResult(event: ObservationLikeEvent): ToolResult {
  if (isEvent(event, 'ObservationEvent')) {
    const { content = [], is_error: isError = false } = event.observation;
    return { content, isError };
  }
  return { content: text('The user did not answer.'), isError: true };
}
