import type { Task } from '../../contract/state/task.ts';
import { isEvent, isObservation, type ActionEvent, type Event } from '../../events/index.ts';
import { isLlmConvertible, isObservationLike } from '../../events/guards.ts';
import type { EventIndex } from '../../contract/state/log-position.ts';

/** An action of the live branch that has no result yet. */
export interface OpenCall {
  readonly event: ActionEvent;
  readonly index: EventIndex;
}

/** The state that follows from the events on the path from the root to HEAD. A fold; values are never changed in place. */
export interface BranchState {
  /** Actions without a result by id, oldest first; actions that cannot be executed count too. */
  readonly open: ReadonlyMap<string, OpenCall>;
  /** Responses of the model. */
  readonly iteration: number;
  readonly lastResponseId: string | null;
  readonly taskList: readonly Task[];
  /** True if there is a SystemPromptEvent. */
  readonly prompted: boolean;
  /** True if the branch has an event that a model reads, such as a message, beside the system prompt. */
  readonly spoken: boolean;
}

/** The branch before its first event. */
export const emptyBranch: BranchState = Object.freeze({
  open: new Map(),
  iteration: 0,
  lastResponseId: null,
  taskList: [],
  prompted: false,
  spoken: false,
});

/** Returns the branch with one more event. O(open calls). */
export function applyToBranch(before: BranchState, event: Event, index: EventIndex): BranchState {
  const branch = opened(before, event);
  if (isEvent(event, 'ActionEvent')) {
    const open = new Map(branch.open).set(event.id, { event, index });
    return { ...branch, ...countResponse(branch, event.llm_response_id), open };
  }
  if (isEvent(event, 'MessageEvent'))
    return event.source === 'agent' ? { ...branch, ...countResponse(branch, event.llm_response_id ?? null) } : branch;
  if (!isObservationLike(event)) return branch;
  const answered = answeredBy(branch, event);
  const taskList = tasksOf(event) ?? branch.taskList;
  if (answered === undefined) return taskList === branch.taskList ? branch : { ...branch, taskList };
  const open = new Map(branch.open);
  open.delete(answered);
  return { ...branch, open, taskList };
}

/** Returns the id of the open action that `event` is the result of: by action id, else by tool call id. */
export function answeredBy(branch: BranchState, event: Event): string | undefined {
  if (!isObservationLike(event)) return undefined;
  if ('action_id' in event && typeof event.action_id === 'string' && branch.open.has(event.action_id))
    return event.action_id;
  for (const [id, call] of branch.open) if (call.event.tool_call_id === event.tool_call_id) return id;
  return undefined;
}

/** Returns the open calls that a tool can run. */
export function pendingCalls(branch: BranchState): readonly OpenCall[] {
  return [...branch.open.values()].filter(({ event: { action } }) => action !== undefined && action !== null);
}

function opened(branch: BranchState, event: Event): BranchState {
  if (isEvent(event, 'SystemPromptEvent')) return branch.prompted ? branch : { ...branch, prompted: true };
  return branch.spoken || !isLlmConvertible(event) ? branch : { ...branch, spoken: true };
}

function countResponse(branch: BranchState, id: string | null): Pick<BranchState, 'iteration' | 'lastResponseId'> {
  const same = id !== null && id === branch.lastResponseId;
  return { iteration: branch.iteration + (same ? 0 : 1), lastResponseId: id };
}

function tasksOf(event: Event): readonly Task[] | undefined {
  if (!isEvent(event, 'ObservationEvent')) return undefined;
  const { observation } = event;
  return isObservation(observation, 'TaskTrackerObservation') ? observation.task_list?.map(toTask) : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function toTask(item: { title?: unknown; notes?: unknown; status?: unknown }): Task {
  const status = item.status === 'done' || item.status === 'in_progress' ? item.status : 'todo';
  return { title: textOf(item.title), notes: textOf(item.notes), status };
}
