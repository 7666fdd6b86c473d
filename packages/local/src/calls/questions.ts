import { isDeepStrictEqual } from 'node:util';

import { checks, type ConversationState, type Transaction } from '@conv/core';
import {
  eventGuards,
  isEvent,
  type ActionEvent,
  type EventDraftOfKind,
  type ObservationLikeEvent,
} from '@conv/core/events';
import { isToolError, text, type JsonObject, type ToolContext, type ToolResult } from '@conv/core/tool';
import { questions } from '@conv/openhands/client-tools';

import { appendQueued } from '../rules/message-queue.ts';
import {
  answerQuestion,
  appendQuestion,
  askedBy,
  isAskedBy,
  openQuestions,
  questionDraft,
  questionId,
  type AskedBy,
} from '../rules/questions.ts';
import { backwards } from '../safeguards/branch-tail.ts';
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
   * its question. A number that another question of the call has is not used again: the same question is asked once, and another
   * one takes the next number. Resolves with the result in the log, and as not answered if the call that asks has ended; rejects
   * with `signal.reason`.
   */
  async ask({ toolCallId, signal }: ToolContext, input: JsonObject): Promise<ToolResult> {
    const { id, isAsked } = await this.#state.transaction((transaction) => this.#open(transaction, toolCallId, input));
    // before the log is read, so that no result is missed between the two
    const watch = new ResultWatch(this.#state, { tool_call_id: id });
    try {
      const before = await this.#resultOf(id);
      if (before || !isAsked) return toToolResult(before);
      return toToolResult(await watch.next(signal));
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

  /** Finds the question, or asks it. Returns its id, and false if it can have no answer any more. */
  async #open(
    transaction: Transaction,
    toolCallId: string,
    input: JsonObject,
  ): Promise<{ readonly id: string; readonly isAsked: boolean }> {
    const { openActions } = transaction;
    const asked = askedBy(toolCallId);
    const call = openActions.find((action) => isAskedBy(asked, action));
    if (!asked || !call)
      return { id: toolCallId, isAsked: openActions.some(({ tool_call_id: id }) => id === toolCallId) };
    const known = new Map(
      [...(await this.#questionsOf(asked, call)), ...openActions].map((action) => [action.tool_call_id, action]),
    );
    for (let { number } = asked; ; number += 1) {
      const id = questionId({ ...asked, number });
      const draft = questionDraft(transaction.state, call, id, input);
      const other = known.get(id);
      if (!other) await appendQuestion(transaction, draft);
      if (!other || this.#isSame(other, draft)) return { id, isAsked: true };
    }
  }

  /** Reads the questions that a call has asked, and no further than the call, because a server may use its id again. */
  async #questionsOf({ call }: AskedBy, { id }: ActionEvent): Promise<readonly ActionEvent[]> {
    const found: ActionEvent[] = [];
    for await (const event of backwards(this.#state.events, this.#state.leafEventId)) {
      if (event.id === id) break;
      if (isEvent(event, 'ActionEvent') && askedBy(event.tool_call_id)?.call === call) found.push(event);
    }
    return found;
  }

  #isSame(stored: ActionEvent, draft: EventDraftOfKind<'ActionEvent'>): boolean {
    const { mask } = this.#state;
    return isDeepStrictEqual(argumentsOf(mask.event(stored)), argumentsOf(mask.draft(draft)));
  }

  /** Reads the result of a question, and no further than the question. */
  async #resultOf(toolCallId: string): Promise<ObservationLikeEvent | undefined> {
    for await (const event of backwards(this.#state.events, this.#state.leafEventId)) {
      if (eventGuards.isObservationLike(event) && event.tool_call_id === toolCallId) return event;
      if (isEvent(event, 'ActionEvent') && event.tool_call_id === toolCallId) return undefined;
    }
    return undefined;
  }
}

function argumentsOf({ tool_name: name, tool_call: call }: Pick<ActionEvent, 'tool_name' | 'tool_call'>): unknown {
  try {
    return [name, JSON.parse(call.arguments)];
  } catch {
    return [name, call.arguments];
  }
}

function checked(action: ActionEvent, answer: ToolResult): ToolResult {
  try {
    return questions.answerTo(questions.read(action), answer);
  } catch (error) {
    throw isToolError(error) ? checks.invalid(error.message, error) : error;
  }
}

function toToolResult(event: ObservationLikeEvent | undefined): ToolResult {
  if (event && isEvent(event, 'ObservationEvent')) {
    const { content = [], is_error: isError = false } = event.observation;
    return { content, isError };
  }
  return { content: text('The user did not answer.'), isError: true };
}
