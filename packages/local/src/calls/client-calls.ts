import { checks, abortable, ConversationError, type CallAnswer, type ConversationState } from '@conv/core';
import { partSchemas, isEvent, type ActionEvent } from '@conv/core/events';
import { isToolError, text, type Tool, type ToolContext, type ToolResult } from '@conv/core/tool';
import { clientTool, questions } from '@conv/openhands/client-tools';
import type { ContentPart } from '@conv/core/events';

import { Questions } from './questions.ts';
import { ResultWatch } from './result-watch.ts';
import { unknownAction } from './unknown-action.ts';

/** The tools of a conversation's caller, and the calls of them that it answers itself. */
export class ClientCalls {
  /** The client tools, for the agent. */
  readonly tools: readonly Tool[];
  readonly #state: ConversationState;
  readonly #answered: ReadonlySet<string>;
  readonly #questions: Questions;
  /** Waiting calls by the model's call ids, which are distinct. */
  #waiting: Map<string, PromiseWithResolvers<ToolResult>> | undefined;
  /** The actions whose answers are on their way into the log. */
  #answering: Set<string> | undefined;

  /** `answered` holds the names of the tools whose calls stay open until the caller answers them. */
  constructor(state: ConversationState, answered: ReadonlySet<string>) {
    this.#state = state;
    this.#answered = answered;
    this.#questions = new Questions(state);
    this.tools = state.clientTools.flatMap((spec) => {
      try {
        if (questions.isAskUser(spec))
          return [clientTool(spec, (context, input) => this.#questions.ask(context, input))];
        return [clientTool(spec, answered.has(spec.name) ? this.#wait : undefined)];
      } catch (error) {
        // another program may have stored it; the conversation opens all the same
        if (!isToolError(error)) throw error;
        process.emitWarning(`a stored client tool is left out: ${state.mask.text(error.message)}`, 'ToolWarning');
        return [];
      }
    });
  }

  /**
   * Ends a call with this answer; resolves when it is stored as the call's result. `runEnd` is the end of the run that the call
   * belongs to. Rejects `UNKNOWN_ACTION` for a call that does not wait, or whose wait ended before, and `INVALID_INPUT`.
   */
  async answer(actionId: string, answer: CallAnswer, runEnd: Promise<unknown>): Promise<void> {
    const result = toResult(answer);
    if (await this.#questions.answer(actionId, result)) return;
    const action = this.#openCall(actionId);
    if (!action || this.#answering?.has(actionId)) throw unknownAction(actionId);
    (this.#answering ??= new Set()).add(actionId);
    const watch = new ResultWatch(this.#state, action);
    try {
      this.#callOf(action.tool_call_id).resolve(result);
      await watch.ended(runEnd);
    } finally {
      watch.close();
      this.#answering?.delete(actionId);
      // the call may have ended before its tool began
      this.#waiting?.delete(action.tool_call_id);
    }
    if (!watch.result)
      throw new ConversationError('STORE_FAILED', `the answer to action ${actionId} is not stored; answer it again`);
    if (!isEvent(watch.result, 'ObservationEvent')) throw unknownAction(actionId);
  }

  readonly #wait = async ({ toolCallId, signal }: ToolContext): Promise<ToolResult> => {
    try {
      return await abortable(this.#callOf(toolCallId).promise, signal);
    } finally {
      this.#waiting?.delete(toolCallId);
    }
  };

  /** Returns the promise of this call's answer; makes it for the tool or the answer, because either may come first. */
  #callOf(toolCallId: string): PromiseWithResolvers<ToolResult> {
    const waiting = (this.#waiting ??= new Map());
    const call = waiting.get(toolCallId) ?? Promise.withResolvers<ToolResult>();
    waiting.set(toolCallId, call);
    return call;
  }

  /** Returns the call of this action if it has started and has no result. */
  #openCall(actionId: string): ActionEvent | undefined {
    const { pendingActions, calls } = this.#state;
    if (calls[actionId] !== 'started') return undefined;
    return pendingActions.find(({ id, tool_name: tool }) => id === actionId && this.#answered.has(tool));
  }
}

function toResult(answer: CallAnswer): ToolResult {
  if (typeof answer !== 'object' || answer === null)
    throw checks.invalid('an answer: expected an object with content, found none');
  const { content, isError = false } = answer;
  if (typeof isError !== 'boolean') throw checks.invalid('isError: expected true or false');
  if (typeof content === 'string') return { content: text(content), isError };
  if (!Array.isArray(content) || !content.every(isContent))
    throw checks.invalid('content: expected text, or parts of text and images');
  return { content, isError };
}

function isContent(part: unknown): part is ContentPart {
  if (typeof part !== 'object' || part === null || !('type' in part)) return false;
  return (part.type === 'text' || part.type === 'image') && partSchemas.contentPart.safeParse(part).success;
}
