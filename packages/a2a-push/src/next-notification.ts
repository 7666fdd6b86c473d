import { TaskState, type Message, type StreamResponse, type Task } from '@a2a-js/sdk';
import { A2AError } from '@a2a-js/sdk/errors';

import { isOver } from './told-task.ts';

/** A task, as the log has it. */
export interface TaskReading {
  readonly task: Task;
  /** The calls that are done, with the number of the event that ended each, in any order. */
  readonly calls: readonly { readonly end: number; readonly message: Message }[];
  /** The number of events that the log had before it was read. */
  readonly length: number;
}

/** The last thing that a receiver was told of a task. */
export interface ToldOfTask {
  /** The number of the next event. */
  readonly event: number;
  /** The state that it was told, as {@link TaskNotification} has it; null before the first. */
  readonly state: string | null;
}

/** A notification of a task, and what its receiver knows then. */
export interface TaskNotification extends ToldOfTask {
  readonly response: StreamResponse;
}

/**
 * Resolves with the next notification of a task: each call that is done since, and the whole task when its state has changed, also before the
 * first. `undefined`: there is nothing to tell now; `over`: there will be nothing more, or there is no such task. Any process can go on after another
 * one, because it needs the log alone.
 *
 * @param read - reads the task, such as `readTask` of `@conv/a2a`; `over` if it rejects an error of the protocol
 */
export async function nextNotification(
  read: () => Promise<TaskReading>,
  told: ToldOfTask,
): Promise<TaskNotification | 'over' | undefined> {
  const reading = await read().catch((error: unknown) => {
    if (!(error instanceof A2AError)) throw error;
  });
  if (!reading) return 'over';
  const { task, calls, length } = reading;
  const ordered = told.state === null ? [] : calls.toSorted((one, other) => one.end - other.end);
  const next = ordered.find(({ end }) => end >= told.event);
  if (next) {
    const { message, end } = next;
    const status = { state: TaskState.TASK_STATE_WORKING, message, timestamp: undefined };
    const value = { taskId: task.id, contextId: task.contextId, status, metadata: undefined };
    return { response: { payload: { $case: 'statusUpdate', value } }, event: end + 1, state: told.state };
  }
  const state = `${task.status?.state} ${task.status?.message?.messageId ?? ''}`;
  if (state === told.state) return isOver(task) ? 'over' : undefined;
  // calls that end while the task is read are told of later
  return { response: { payload: { $case: 'task', value: task } }, event: length, state };
}
