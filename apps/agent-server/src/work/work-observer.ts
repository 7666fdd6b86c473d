import type { CallRecord } from '@conv/core/store';
import type { RunObserver } from '@conv/server';

/** A conversation in which something is done. */
export interface WorkingConversation {
  readonly id: string;
  /** The conversation that it works for. */
  readonly parentId: string | null;
}

/** A call of a tool that was started. */
export interface ToolCall {
  /** The id of its action event. */
  readonly actionId: string;
  readonly toolCallId: string;
  readonly tool: string;
}

/** Outcome of a call. `failed`: the tool reports a failure, or the call has no result of a tool. */
export type ToolOutcome = 'done' | 'failed';

/** Told of what conversations do, when it is durable; for counting and tracing. Told of no content. Must not throw. */
export interface WorkObserver extends RunObserver {
  /** A model has answered; `step` when the agent continues with the answer, rather than a condenser or another helper of it. */
  modelCalled?(conversation: WorkingConversation, call: CallRecord, step: boolean): void;
  toolStarted?(conversation: WorkingConversation, call: ToolCall): void;
  /** It took so many seconds. */
  toolEnded?(conversation: WorkingConversation, call: ToolCall, outcome: ToolOutcome, seconds: number): void;
  /** The conversation was let go. */
  released?(conversationId: string): void;
}

/** Makes an observer that tells each of the given ones, in their order. */
export function allOf(observers: readonly WorkObserver[]): Required<WorkObserver> {
  return {
    accepted: (...told) => observers.forEach((each) => each.accepted?.(...told)),
    started: (...told) => observers.forEach((each) => each.started?.(...told)),
    ended: (...told) => observers.forEach((each) => each.ended?.(...told)),
    modelCalled: (...told) => observers.forEach((each) => each.modelCalled?.(...told)),
    toolStarted: (...told) => observers.forEach((each) => each.toolStarted?.(...told)),
    toolEnded: (...told) => observers.forEach((each) => each.toolEnded?.(...told)),
    released: (...told) => observers.forEach((each) => each.released?.(...told)),
  };
}
