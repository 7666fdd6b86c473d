import { Role, TaskState, type Artifact, type Message, type Task, type TaskStatus } from '@a2a-js/sdk';
import { TaskNotFoundError } from '@a2a-js/sdk/errors';
import { contentParts, isEvent } from '@conv/core/events';
import {
  argumentsOf,
  isFinish,
  turnBehind,
  turnId,
  waitsForPerson,
  type CallItem,
  type ReadConversation,
  type Turn,
  type TurnItem,
} from '@conv/turns';

import { artifactOf, dataPart, messageOf, partsOf, textPart, type TaskIds } from './message-parts.ts';

/**
 * Resolves with the task that answers a message, the items of the log that it tells, and the number of its last event. Rejects `TaskNotFoundError` for
 * another event.
 */
export async function readTask(
  conversation: ReadConversation,
  event: string,
): Promise<{ readonly task: Task; readonly items: readonly TurnItem[]; readonly last: number }> {
  const { id: contextId, events, state } = conversation;
  const turn = await turnBehind(conversation, event);
  const ids = { taskId: turnId({ conversation: contextId, event }, '_'), contextId };
  const said = turn.after === undefined ? undefined : await events.at(turn.after);
  const isQueued = turn.after === undefined && state.queue.some(({ id }) => id === event);
  const isMessage = said && isEvent(said, 'MessageEvent') && said.source === 'user';
  if (!isMessage && !isQueued) throw new TaskNotFoundError(`expected the id of a task, found ${ids.taskId}`);
  const question = isMessage
    ? [messageOf({ messageId: event, role: Role.ROLE_USER }, ids, partsOf(contentParts(said.llm_message)))]
    : [];
  const task = {
    id: ids.taskId,
    contextId,
    status: statusOf(conversation, turn, ids),
    artifacts: turn.items.flatMap(artifactsOf),
    history: [...question, ...turn.items.flatMap((item) => callMessages(item, ids))],
    metadata: undefined,
  };
  const ends = turn.items.map((item) => (item.kind === 'call' ? (item.result?.index ?? item.index) : item.index));
  return { task, items: turn.items, last: Math.max(turn.after ?? -1, ...ends) };
}

function statusOf(conversation: ReadConversation, turn: Turn, ids: TaskIds): TaskStatus {
  const { items, failure, waiting } = turn;
  const time = Date.parse(items.at(-1)?.timestamp ?? '');
  const timestamp = Number.isNaN(time) ? undefined : new Date(time).toISOString();
  const state = stateOf(conversation, turn);
  const say = (id: string, ...parts: Message['parts']): TaskStatus => {
    return { state, message: messageOf({ messageId: id, role: Role.ROLE_AGENT }, ids, parts), timestamp };
  };
  if (state === TaskState.TASK_STATE_FAILED && failure) return say(`${ids.taskId}:failed`, textPart(failure.message));
  if (state !== TaskState.TASK_STATE_INPUT_REQUIRED) return { state, message: undefined, timestamp };
  const names = waiting.map(({ tool, summary }) => (summary === '' ? tool : `${tool} (${summary})`));
  const asked = waiting.map((call) => dataPart(askedCall(call, waitsForPerson(call, conversation.state))));
  return say(waiting.map(({ id }) => `${id}:asked`).join(), textPart(`Waiting for: ${names.join(', ')}`), ...asked);
}

function stateOf({ state }: ReadConversation, { status, items, waiting }: Turn): TaskState {
  if (status === 'queued' || (status === 'running' && items.length === 0 && state.executionStatus !== 'running'))
    return TaskState.TASK_STATE_SUBMITTED;
  if (waiting.length > 0) return TaskState.TASK_STATE_INPUT_REQUIRED;
  return STATES[status];
}

const STATES: Readonly<Record<Turn['status'], TaskState>> = {
  queued: TaskState.TASK_STATE_SUBMITTED,
  running: TaskState.TASK_STATE_WORKING,
  waiting: TaskState.TASK_STATE_WORKING,
  stopped: TaskState.TASK_STATE_CANCELED,
  failed: TaskState.TASK_STATE_FAILED,
  done: TaskState.TASK_STATE_COMPLETED,
};

/** True if a task in this state does not go on. */
export function isTerminal({ status }: Pick<Task, 'status'>): boolean {
  return TERMINAL.has(status?.state);
}

const TERMINAL: ReadonlySet<TaskState | undefined> = new Set([STATES.done, STATES.failed, STATES.stopped]);

function artifactsOf(item: TurnItem): readonly Artifact[] {
  const parts = item.kind === 'answer' ? partsOf(item.content) : [];
  return parts.length > 0 ? [artifactOf(item.id, parts)] : [];
}

/** Returns a call that is done as a message of the agent; nothing for another item, and for a call that is told as an answer. */
export function callMessages(item: TurnItem, ids: TaskIds): readonly Message[] {
  if (item.kind !== 'call' || !item.result || isFinish(item)) return [];
  const { id, actionId: call, tool, result, decidedBy } = item;
  const told = dataPart({ call, tool, arguments: argumentsOf(item), outcome: result.outcome, decidedBy });
  return [messageOf({ messageId: id, role: Role.ROLE_AGENT }, ids, [told, ...partsOf(result.content)])];
}

function askedCall(call: CallItem, isPerson: boolean): object {
  const { actionId, tool, summary, risk, expiresAt } = call;
  const base = { call: actionId, tool, arguments: argumentsOf(call) };
  return isPerson ? { ...base, asks: 'approval', summary, risk, expiresAt } : { ...base, asks: 'output' };
}
