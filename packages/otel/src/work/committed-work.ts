import type { ExecutionStatus, StateFields } from '@conv/core';
import { type ActionEvent, isEvent, type Event } from '@conv/core/events';
import { systemPlatform } from '@conv/core/platform';
import type { NewCommit } from '@conv/core/store';

import type { CommitObserver, ToolCall, ToolOutcome, WorkingConversation } from './commit-observer.ts';

interface Started extends ToolCall {
  /** Milliseconds of the process's clock. */
  readonly at: number;
}

/** Work of one conversation, read from its commits. Holds only the open calls. */
export class CommittedWork {
  readonly #observer: CommitObserver;
  readonly #now: () => number;
  /** Actions that wait, by their ids. */
  readonly #asked = new Map<string, ActionEvent>();
  /** Calls that run, by the ids of their actions. */
  readonly #started = new Map<string, Started>();

  #status: ExecutionStatus | undefined;

  constructor(observer: CommitObserver, now: () => number = systemPlatform.monotonic) {
    this.#observer = observer;
    this.#now = now;
  }

  /** Returns the ids of actions that begin in this commit and that no commit asked for which was told here. */
  unknownActions(commit: NewCommit): readonly string[] {
    const isKnown = (id: string): boolean =>
      this.#asked.has(id) || this.#started.has(id) || commit.events.some((event) => event.id === id);
    return startedIn(commit).filter((id) => !isKnown(id));
  }

  /** Takes an action that may begin in a later commit. Ignores any other event. */
  ask(event: Event): void {
    if (isEvent(event, 'ActionEvent') && event.action) this.#asked.set(event.id, event);
  }

  /** A commit became durable; `after` is the state with it. */
  committed(commit: NewCommit, after: StateFields): void {
    const { events, records = [] } = commit;
    const conversation: WorkingConversation = { id: after.id, parentId: after.parentId };
    if (after.executionStatus === 'running') this.#tellStatus(conversation, after.executionStatus, events);
    for (const record of records) {
      const answer = events.filter((event) => answerIdOf(event) === record.responseId);
      this.#observer.modelCalled?.(conversation, record, answer.length > 0, answer);
    }
    for (const event of events) this.ask(event);
    for (const actionId of startedIn(commit)) this.#start(conversation, actionId);
    for (const event of events) this.#end(conversation, event);
    this.#tellStatus(conversation, after.executionStatus, events);
  }

  /** A run begins before what the same commit does in it, and ends after. */
  #tellStatus(conversation: WorkingConversation, status: ExecutionStatus, events: readonly Event[]): void {
    if (status === this.#status) return;
    this.#status = status;
    this.#observer.statusChanged?.(conversation, status, events);
  }

  #start(conversation: WorkingConversation, actionId: string): void {
    const action = this.#asked.get(actionId);
    if (!action) return;
    const call: ToolCall = { actionId, toolCallId: action.tool_call_id, tool: action.tool_name };
    this.#asked.delete(actionId);
    this.#started.set(actionId, { ...call, at: this.#now() });
    this.#observer.toolStarted?.(conversation, call, action);
  }

  #end(conversation: WorkingConversation, event: Event): void {
    const result = outcomeOf(event);
    const actionId = result && this.#answered(result);
    if (!result || actionId === undefined) return;
    this.#asked.delete(actionId);
    const started = this.#started.get(actionId);
    if (!started) return;
    this.#started.delete(actionId);
    const { at, ...call } = started;
    this.#observer.toolEnded?.(conversation, call, result.outcome, (this.#now() - at) / 1000, event);
  }

  /** Returns the id of the action that a result answers. A call that failed outside its tool names only the id that its model chose. */
  #answered({ actionId, toolCallId }: Outcome): string | undefined {
    if (actionId !== undefined) return actionId;
    for (const started of this.#started.values()) if (started.toolCallId === toolCallId) return started.actionId;
    for (const asked of this.#asked.values()) if (asked.tool_call_id === toolCallId) return asked.id;
    return undefined;
  }
}

/** Returns the ids of the actions that begin in a commit. */
function startedIn({ patch }: NewCommit): readonly string[] {
  const phases = Object.entries({ ...patch?.set?.calls, ...patch?.add?.calls });
  return phases.filter(([, phase]) => phase === 'started').map(([actionId]) => actionId);
}

/** The id of the answer of a model that an event carries on. */
function answerIdOf(event: Event): string | undefined {
  if (isEvent(event, 'ActionEvent')) return event.llm_response_id;
  if (isEvent(event, 'MessageEvent') && event.source === 'agent') return event.llm_response_id ?? undefined;
  return undefined;
}

interface Outcome {
  readonly actionId?: string;
  readonly toolCallId: string;
  readonly outcome: ToolOutcome;
}

function outcomeOf(event: Event): Outcome | undefined {
  if (isEvent(event, 'ObservationEvent')) {
    const { observation, action_id: actionId, tool_call_id: toolCallId } = event;
    const isError = 'is_error' in observation && observation.is_error === true;
    return { actionId, toolCallId, outcome: isError ? 'failed' : 'done' };
  }
  if (isEvent(event, 'UserRejectObservation'))
    return { actionId: event.action_id, toolCallId: event.tool_call_id, outcome: 'failed' };
  return isEvent(event, 'AgentErrorEvent') ? { toolCallId: event.tool_call_id, outcome: 'failed' } : undefined;
}
