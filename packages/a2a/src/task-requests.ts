import {
  TaskState,
  type AgentCard,
  type ListTaskPushNotificationConfigsResponse,
  type ListTasksRequest,
  type ListTasksResponse,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
  type TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import {
  ExtendedAgentCardNotConfiguredError,
  PushNotificationNotSupportedError,
  TaskNotCancelableError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { stopTurn, turnId, turnPlace } from '@conv/turns';

import { agentCard } from './agent-card.ts';
import type { A2AHandlerOptions } from './handler-options.ts';
import { listTasks, shortening } from './list-tasks.ts';
import { protocolError } from './protocol-error.ts';
import { isTerminal, readTask } from './read-task.ts';
import { takeMessage, type TakenMessage } from './take-message.ts';
import type { TaskNotifier } from './task-notifier.ts';
import { followTask, type Following } from './task-updates.ts';

type OpenedTask = Pick<TakenMessage, 'conversation' | 'event'>;

type OfTask = Pick<TaskPushNotificationConfig, 'taskId'>;

type PushConfigName = Pick<TaskPushNotificationConfig, 'taskId' | 'id'>;

type Responses = AsyncGenerator<StreamResponse, void, undefined>;

/** Carries out the operations of the protocol, for the sender of one request. */
export class TaskRequests implements A2ARequestHandler {
  readonly #options: A2AHandlerOptions;
  readonly #request: Request;
  readonly #signal: AbortSignal;
  /** The task that the client subscribed to, which is told the same to all who follow it. */
  followed: OpenedTask | undefined;

  /** @param signal aborts when the client leaves; no run ends by it */
  constructor(options: A2AHandlerOptions, request: Request, signal: AbortSignal) {
    this.#options = options;
    this.#request = request;
    this.#signal = signal;
  }

  async getAgentCard(): Promise<AgentCard> {
    return agentCard(this.#options, this.#request);
  }

  sendMessage(request: SendMessageRequest): Promise<Task> {
    return this.#safely(async () => {
      const { returnImmediately, historyLength } = request.configuration ?? {};
      const shorten = shortening(historyLength);
      const taken = await this.#taken(request);
      if (returnImmediately !== true)
        for await (const _ of followTask({ ...taken, stays: false, signal: this.#signal }));
      return shorten((await readTask(taken.conversation, taken.event)).task);
    });
  }

  sendMessageStream(request: SendMessageRequest): Responses {
    return this.#stream(async () => {
      const shorten = shortening(request.configuration?.historyLength);
      return { ...(await this.#taken(request)), stays: false, shorten };
    });
  }

  getTask({ id, historyLength }: { readonly id: string; readonly historyLength?: number | undefined }): Promise<Task> {
    return this.#safely(async () => shortening(historyLength)((await this.#opened(id)).task));
  }

  cancelTask({ id }: { readonly id: string }): Promise<Task> {
    return this.#safely(async () => {
      const { conversation, event, task } = await this.#opened(id);
      if (task.status?.state === TaskState.TASK_STATE_CANCELED) return task;
      if (isTerminal(task) || conversation.state.queue.some((queued) => queued.id === event))
        throw new TaskNotCancelableError(`expected a task at work, found ${id}, which is over or waits for its turn`);
      const mayApprove = (): boolean | Promise<boolean> => this.#options.mayApprove?.(this.#request) ?? true;
      await stopTurn(conversation, { mayApprove, reason: 'canceled' });
      return (await readTask(conversation, event)).task;
    });
  }

  resubscribe({ id }: { readonly id: string }): Responses {
    return this.#stream(async () => {
      const { conversation, event, task } = await this.#opened(id);
      if (isTerminal(task)) throw new UnsupportedOperationError(`expected a task at work, found one that ended: ${id}`);
      this.followed = { conversation, event };
      return { conversation, event, run: undefined, stays: true };
    });
  }

  listTasks(params: ListTasksRequest): Promise<ListTasksResponse> {
    return this.#safely(() => listTasks(params, this.#request, this.#options));
  }

  async getAuthenticatedExtendedAgentCard(): Promise<never> {
    throw new ExtendedAgentCardNotConfiguredError();
  }

  createTaskPushNotificationConfig(params: TaskPushNotificationConfig): Promise<TaskPushNotificationConfig> {
    return this.#pushing(params, (push) => push.create(params, this.#request));
  }

  getTaskPushNotificationConfig(params: PushConfigName): Promise<TaskPushNotificationConfig> {
    return this.#pushing(params, (push) => push.get(params));
  }

  listTaskPushNotificationConfigs(params: OfTask): Promise<ListTaskPushNotificationConfigsResponse> {
    return this.#pushing(params, (push) => push.list(params));
  }

  deleteTaskPushNotificationConfig(params: PushConfigName): Promise<void> {
    return this.#pushing(params, (push) => push.delete(params));
  }

  #pushing<T>({ taskId: id }: OfTask, work: (push: TaskNotifier) => Promise<T>): Promise<T> {
    return this.#safely(async () => {
      if (!this.#options.push) throw new PushNotificationNotSupportedError();
      const opened = await this.#opened(id);
      const done = await work(this.#options.push);
      await this.#follow(opened);
      return done;
    });
  }

  async #follow({ conversation, event }: OpenedTask): Promise<void> {
    await this.#options.push?.follow(turnId({ conversation: conversation.id, event }, '_'), (signal) =>
      followTask({ conversation, event, run: undefined, stays: true, signal }),
    );
  }

  async #taken({ message, configuration }: SendMessageRequest): Promise<TakenMessage> {
    const config = configuration?.taskPushNotificationConfig;
    const { push } = this.#options;
    // a notification that is never sent would be waited for
    if (config && !push) throw new PushNotificationNotSupportedError();
    const { taskId: named = '', contextId = '' } = message ?? {};
    const context = named === '' ? contextId : turnPlace(named, '_').conversation;
    // only a sender who may open a context learns of its configurations
    if (config && context !== '') await this.#options.conversation(context, this.#request);
    if (config) await push?.check({ ...config, taskId: named });
    const taken = await takeMessage(message, this.#request, this.#options);
    const taskId = turnId({ ...taken, conversation: taken.conversation.id }, '_');
    if (config) await push?.create({ ...config, taskId }, this.#request);
    await this.#follow(taken);
    return taken;
  }

  async #opened(id: string): Promise<OpenedTask & { readonly task: Task }> {
    const { conversation: context, event } = turnPlace(id, '_');
    const conversation = await this.#options.conversation(context, this.#request);
    const { task } = await readTask(conversation, event);
    await this.#follow({ conversation, event });
    return { conversation, event, task };
  }

  async *#stream(begin: () => Promise<Omit<Following, 'signal'>>): Responses {
    try {
      yield* followTask({ ...(await begin()), signal: this.#signal });
    } catch (error) {
      this.#signal.throwIfAborted();
      throw protocolError(error, this.#options.onError);
    }
  }

  #safely<T>(work: () => Promise<T>): Promise<T> {
    return work().catch((error: unknown) => {
      this.#signal.throwIfAborted();
      throw protocolError(error, this.#options.onError);
    });
  }
}
