import { TaskState, type Artifact, type Part, type StreamResponse, type Task } from '@a2a-js/sdk';

const OVER: ReadonlySet<TaskState | undefined> = new Set([
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
]);

/** True if a task does not go on. */
export function isOver(task: Pick<Task, 'status'> | undefined): boolean {
  return OVER.has(task?.status?.state);
}

/** A task as its updates tell it. */
export class ToldTask {
  #task: Task | undefined;
  readonly #artifacts = new Map<string, Artifact>();

  /** True if the task does not go on. */
  get isOver(): boolean {
    return isOver(this.#task);
  }

  /**
   * Takes an update. Returns the notification of it: the whole task if it began, waits or is over; `undefined` for a part of an artifact,
   * which the task has at its end.
   */
  take({ payload }: StreamResponse): StreamResponse | undefined {
    if (payload?.$case === 'task') {
      this.#task = payload.value;
      for (const artifact of payload.value.artifacts) this.#artifacts.set(artifact.artifactId, artifact);
    }
    if (payload?.$case === 'artifactUpdate' && payload.value.artifact) {
      const { artifact, append } = payload.value;
      const before = append ? (this.#artifacts.get(artifact.artifactId)?.parts ?? []) : [];
      this.#artifacts.set(artifact.artifactId, { ...artifact, parts: joined([...before, ...artifact.parts]) });
      return undefined;
    }
    if (payload?.$case === 'statusUpdate' && this.#task) {
      const { status } = payload.value;
      const isWorking = status?.state === TaskState.TASK_STATE_WORKING;
      const said = isWorking && status.message ? [status.message] : [];
      this.#task = { ...this.#task, status, history: [...this.#task.history, ...said] };
      if (isWorking) return { payload };
    }
    // an artifact without content belongs to an answer that never came
    const artifacts = [...this.#artifacts.values()].filter(({ parts }) => parts.length > 0);
    return this.#task && { payload: { $case: 'task', value: { ...this.#task, artifacts } } };
  }
}

/** Returns parts with texts that follow each other as one, and without empty texts. */
function joined(parts: readonly Part[]): Part[] {
  const all: Part[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (part.content?.$case !== 'text') all.push(part);
    else if (last?.content?.$case === 'text')
      all.splice(-1, 1, { ...part, content: { $case: 'text', value: last.content.value + part.content.value } });
    else if (part.content.value !== '') all.push(part);
  }
  return all;
}
