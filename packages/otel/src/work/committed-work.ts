import type { ExecutionStatus, StateFields } from '@conv/core';
import { type ActionEvent, isEvent, type Event } from '@conv/core/events';
import { systemPlatform } from '@conv/core/platform';
import type { NewCommit } from '@conv/core/store';

import type { CommitObserver, ToolCall, ToolOutcome, WorkingConversation } from './commit-observer.ts';

interface Asked extends ToolCall {
  readonly action: ActionEvent;
}

interface Started extends ToolCall {
  /** Milliseconds of the process's clock. */
  readonly at: number;
}

/** Work of one conversation, read from its commits. Holds only the open calls. */
export class CommittedWork {
  readonly #observer: CommitObserver;
  readonly #now: () => number;
  /** Calls that wait, by the id of their action. */
  readonly #asked = new Map<string, Asked>();
  /** Calls that run, by the id that their results have. */
  readonly #started = new Map<string, Started>();

  #status: ExecutionStatus | undefined;

  constructor(observer: CommitObserver, now: () => number = systemPlatform.monotonic) {
    this.#observer = observer;
    this.#now = now;
  }

  /** A commit became durable; `after` is the state with it. */
  committed({ events, records = [], patch }: NewCommit, after: StateFields): void {
    const conversation: WorkingConversation = { id: after.id, parentId: after.parentId };
    if (after.executionStatus === 'running') this.#tellStatus(conversation, after.executionStatus);
    for (const record of records) {
      const answer = events.filter((event) => answerIdOf(event) === record.responseId);
      this.#observer.modelCalled?.(conversation, record, answer.length > 0, answer);
    }
    for (const event of events) this.#ask(event);
    for (const [actionId, phase] of Object.entries({ ...patch?.set?.calls, ...patch?.add?.calls }))
      if (phase === 'started') this.#start(conversation, actionId);
    for (const event of events) this.#end(conversation, event);
    this.#tellStatus(conversation, after.executionStatus);
  }

  /** A run begins before what the same commit does in it, and ends after. */
  #tellStatus(conversation: WorkingConversation, status: ExecutionStatus): void {
    if (status === this.#status) return;
    this.#status = status;
    this.#observer.statusChanged?.(conversation, status);
  }

  #ask(event: Event): void {
    if (!isEvent(event, 'ActionEvent') || !event.action) return;
    const { id: actionId, tool_call_id: toolCallId, tool_name: tool } = event;
    this.#asked.set(actionId, { actionId, toolCallId, tool, action: event });
  }

  #start(conversation: WorkingConversation, actionId: string): void {
    const asked = this.#asked.get(actionId);
    if (!asked) return;
    const { action, ...call } = asked;
    this.#asked.delete(actionId);
    this.#started.set(call.toolCallId, { ...call, at: this.#now() });
    this.#observer.toolStarted?.(conversation, call, action);
  }

  #end(conversation: WorkingConversation, event: Event): void {
    const outcome = outcomeOf(event);
    if (!outcome) return;
    const { toolCallId } = outcome;
    const { at, ...call } = this.#started.get(toolCallId) ?? {};
    for (const [actionId, asked] of this.#asked) if (asked.toolCallId === toolCallId) this.#asked.delete(actionId);
    if (at === undefined) return;
    this.#started.delete(toolCallId);
    this.#observer.toolEnded?.(conversation, call as ToolCall, outcome.outcome, (this.#now() - at) / 1000, event);
  }
}

/** The id of the answer of a model that an event carries on. */
function answerIdOf(event: Event): string | undefined {
  if (isEvent(event, 'ActionEvent')) return event.llm_response_id;
  if (isEvent(event, 'MessageEvent') && event.source === 'agent') return event.llm_response_id ?? undefined;
  return undefined;
}

function outcomeOf(event: Event): { readonly toolCallId: string; readonly outcome: ToolOutcome } | undefined {
  if (isEvent(event, 'ObservationEvent')) {
    const { observation, tool_call_id: toolCallId } = event;
    const isError = 'is_error' in observation && observation.is_error === true;
    return { toolCallId, outcome: isError ? 'failed' : 'done' };
  }
  if (isEvent(event, 'AgentErrorEvent') || isEvent(event, 'UserRejectObservation'))
    return { toolCallId: event.tool_call_id, outcome: 'failed' };
  return undefined;
}
