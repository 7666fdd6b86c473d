import type { ExecutionStatus } from '@conv/core';
import type { ActionEvent, Event } from '@conv/core/events';
import type { CallRecord } from '@conv/core/store';

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

/**
 * Told of what conversations do, when it is durable; for counting and tracing. The events are masked, as the log is. Must not throw.
 */
export interface CommitObserver {
  /** The status changed with these events; also told for the first commit of a conversation that is seen. */
  statusChanged?(conversation: WorkingConversation, status: ExecutionStatus, events: readonly Event[]): void;
  /** A model has answered. `isStep` is true if the agent continues with the answer, and false for a helper such as a condenser. */
  modelCalled?(conversation: WorkingConversation, call: CallRecord, isStep: boolean, answer: readonly Event[]): void;
  /** A tool has begun its work on an action. */
  toolStarted?(conversation: WorkingConversation, call: ToolCall, action: ActionEvent): void;
  /** The call has its result, `seconds` after its start. */
  toolEnded?(
    conversation: WorkingConversation,
    call: ToolCall,
    outcome: ToolOutcome,
    seconds: number,
    result: Event,
  ): void;
  /** The conversation was let go. */
  released?(conversationId: string): void;
}
