import {
  TaskState,
  type AgentCard,
  type ListTaskPushNotificationConfigsResponse,
  type ListTasksResponse,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
  type TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import {
  ExtendedAgentCardNotConfiguredError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { ConversationError } from '@conv/core';

import { agentCard } from './agent-card.ts';
import type { A2AHandlerOptions } from './handler-options.ts';
import { protocolError } from './protocol-error.ts';
import { isTerminal, readTask } from './read-task.ts';
import { takeMessage, type TakenMessage } from './take-message.ts';
import { placeOf, taskId } from './task-id.ts';
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
    return this.#safely(async () => {
      const { conversation, event } = await this.#opened(id);
      return shortening(historyLength)((await readTask(conversation, event)).task);
    });
  }

  cancelTask({ id }: { readonly id: string }): Promise<Task> {
    return this.#safely(async () => {
      const { conversation, event } = await this.#opened(id);
      const { task } = await readTask(conversation, event);
      if (task.status?.state === TaskState.TASK_STATE_CANCELED) return task;
      if (isTerminal(task) || conversation.state.queue.some((queued) => queued.id === event))
        throw new TaskNotCancelableError(`expected a task at work, found ${id}, which is over or waits for its turn`);
      const { mayApprove = () => true } = this.#options;
      // calls that wait for a person hold no run that an interruption could end
      const isAsked = conversation.state.executionStatus === 'waiting_for_confirmation';
      if (isAsked && !(await mayApprove(this.#request)))
        throw new ConversationError('DENIED', 'expected a sender who may approve, because canceling rejects calls');
      if (isAsked) await conversation.reject(undefined, 'canceled');
      await conversation.interrupt();
      return (await readTask(conversation, event)).task;
    });
  }

  resubscribe({ id }: { readonly id: string }): Responses {
    return this.#stream(async () => {
      const { conversation, event } = await this.#opened(id);
      const { task } = await readTask(conversation, event);
      if (isTerminal(task)) throw new UnsupportedOperationError(`expected a task at work, found one that ended: ${id}`);
      return { conversation, event, run: undefined, stays: true };
    });
  }

  async listTasks(): Promise<ListTasksResponse> {
    throw new UnsupportedOperationError('expected the id of a task: tasks are not listed');
  }

  async getAuthenticatedExtendedAgentCard(): Promise<never> {
    throw new ExtendedAgentCardNotConfiguredError();
  }

  createTaskPushNotificationConfig(params: TaskPushNotificationConfig): Promise<TaskPushNotificationConfig> {
    return this.#pushing(params, (push) => push.create(params));
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
      const { conversation, event } = await this.#opened(id);
      await readTask(conversation, event);
      const done = await work(this.#options.push);
      await this.#follow({ conversation, event });
      return done;
    });
  }

  async #follow({ conversation, event }: OpenedTask): Promise<void> {
    await this.#options.push?.follow(taskId({ conversation: conversation.id, event }), (signal) =>
      followTask({ conversation, event, run: undefined, stays: true, signal }),
    );
  }

  async #taken({ message, configuration }: SendMessageRequest): Promise<TakenMessage> {
    const config = configuration?.taskPushNotificationConfig;
    const { push } = this.#options;
    // a notification that is never sent would be waited for
    if (config && !push) throw new PushNotificationNotSupportedError();
    const { taskId: named = '', contextId = '' } = message ?? {};
    const context = named === '' ? contextId : placeOf(named).conversation;
    // only who is let into a context is told of its configurations
    if (config && context !== '') await this.#options.conversation(context, this.#request);
    if (config) await push?.check({ ...config, taskId: named });
    const taken = await takeMessage(message, this.#request, this.#options);
    if (config) await push?.create({ ...config, taskId: taskId({ ...taken, conversation: taken.conversation.id }) });
    await this.#follow(taken);
    return taken;
  }

  async #opened(id: string): Promise<OpenedTask> {
    const { conversation: context, event } = placeOf(id);
    const opened = { conversation: await this.#options.conversation(context, this.#request), event };
    await this.#follow(opened);
    return opened;
  }

  async *#stream(begin: () => Promise<Omit<Following, 'signal'>>): Responses {
    try {
      yield* followTask({ ...(await begin()), signal: this.#signal });
    } catch (error) {
      this.#signal.throwIfAborted();
      throw protocolError(error, this.#options.onError);
    }
  }

  async #safely<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#signal.throwIfAborted();
      throw protocolError(error, this.#options.onError);
    }
  }
}

/** Returns a function that cuts the history of a task to its newest messages. Throws `RequestMalformedError` for a wrong length. */
function shortening(length?: number): (task: Task) => Task {
  if (length !== undefined && !(Number.isInteger(length) && length >= 0))
    throw new RequestMalformedError(`historyLength: expected a number of messages, found ${length}`);
  return (task) => ({ ...task, history: length === 0 ? [] : task.history.slice(-(length ?? Infinity)) });
}
