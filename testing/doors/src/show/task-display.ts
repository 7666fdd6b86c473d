import { Role, TaskState, type Message, type Part, type StreamResponse, type Task } from '@a2a-js/sdk';
import { isObject } from '@conv/core/platform';

import { answerLines, callLine, imageLine } from './lines-of.ts';

/** A task of A2A as a client shows it: messages and artifacts, which are two lists of the protocol, and the failure. Updates are written behind each other. */
export class TaskDisplay {
  /** The id of the task, when the client knows it. */
  id: string | undefined;
  /** True if something has come of the newest message of the client. */
  hasBegun = false;
  #state: TaskState | undefined;
  #messages: Message[] = [];
  #failure: Message | undefined;
  readonly #artifacts = new Map<string, readonly Part[]>();

  constructor(id?: string) {
    this.id = id;
  }

  /** True if the task has ended, or waits for a person. */
  get isAtRest(): boolean {
    return this.#state !== undefined && RESTS.has(this.#state);
  }

  /** Shows that the client has sent something to the task. */
  goOn(): void {
    this.#state = undefined;
    this.hasBegun = false;
  }

  /** Shows the task as it is. */
  show({ id, status, history, artifacts }: Task): void {
    this.id = id;
    this.#messages = [...history];
    this.#artifacts.clear();
    for (const { artifactId, parts } of artifacts) this.#artifacts.set(artifactId, parts);
    this.#take(status?.state, status?.message);
  }

  take({ payload }: StreamResponse): void {
    if (payload?.$case === 'task') return this.show(payload.value);
    this.hasBegun = true;
    if (payload?.$case === 'statusUpdate') this.#take(payload.value.status?.state, payload.value.status?.message);
    if (payload?.$case === 'artifactUpdate' && payload.value.artifact) {
      const { append, artifact } = payload.value;
      const before = append ? (this.#artifacts.get(artifact.artifactId) ?? []) : [];
      this.#artifacts.set(artifact.artifactId, [...before, ...artifact.parts]);
    }
  }

  lines(): readonly string[] {
    const artifacts = [...this.#artifacts.values()];
    const texts = artifacts.flatMap((parts) => answerLines('', textOf(parts)));
    const images = [...this.#messages.flatMap(({ parts }) => parts), ...artifacts.flat()].flatMap(imagesIn);
    const failure = this.#failure ? [`error: ${textOf(this.#failure.parts).split(':')[0]}`] : [];
    return [...this.#messages.flatMap(linesOfMessage), ...texts, ...images, ...failure];
  }

  #take(state: TaskState | undefined, message: Message | undefined): void {
    this.#state = state;
    if (this.isAtRest) this.hasBegun = true;
    if (state === TaskState.TASK_STATE_FAILED) this.#failure = message;
    else if (message && state === TaskState.TASK_STATE_WORKING) this.#messages.push(message);
  }
}

const RESTS: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_INPUT_REQUIRED,
]);

function linesOfMessage({ role, parts }: Message): readonly string[] {
  if (role === Role.ROLE_USER) return [`user: ${textOf(parts)}`];
  const told: unknown = parts.flatMap(({ content }) => (content?.$case === 'data' ? [content.value] : []))[0];
  if (!isObject(told)) return [];
  const { call, tool, outcome } = told;
  return [callLine(String(call), String(tool), told['arguments'], `${String(outcome)} ${textOf(parts)}`)];
}

function textOf(parts: readonly Part[]): string {
  return parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');
}

function imagesIn({ content, mediaType }: Part): readonly string[] {
  if (content?.$case === 'raw') return [imageLine(`data:${mediaType};base64,${content.value.toString('base64')}`)];
  return content?.$case === 'url' ? [imageLine(content.value)] : [];
}
