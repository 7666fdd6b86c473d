import {
  TaskState,
  type AgentCard,
  type ListTasksResponse,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
} from '@a2a-js/sdk';
import {
  ExtendedAgentCardNotConfiguredError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';

import { agentCard } from './agent-card.ts';
import type { A2AHandlerOptions } from './handler-options.ts';
import { protocolError } from './protocol-error.ts';
import { isTerminal, readTask, type KnownTask } from './read-task.ts';
import { takeMessage, type TakenMessage } from './take-message.ts';
import { placeOf } from './task-id.ts';
import { followTask, resting } from './task-updates.ts';

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
    return agentCard(this.#options.card, this.#request);
  }

  sendMessage(request: SendMessageRequest): Promise<Task> {
    return this.#safely(async () => {
      const taken = await this.#taken(request);
      const { returnImmediately, historyLength } = request.configuration ?? {};
      if (returnImmediately !== true) await resting({ ...taken, signal: this.#signal });
      return shortened(await readTask(taken.conversation, taken.event), historyLength);
    });
  }

  async *sendMessageStream(request: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const taken = await this.#safely(() => this.#taken(request));
    yield* this.#stream(followTask({ ...taken, stays: false, signal: this.#signal }));
  }

  getTask({ id, historyLength }: { readonly id: string; readonly historyLength?: number | undefined }): Promise<Task> {
    return this.#safely(async () => {
      const { conversation, event } = await this.#opened(id);
      return shortened(await readTask(conversation, event), historyLength);
    });
  }

  cancelTask({ id }: { readonly id: string }): Promise<Task> {
    return this.#safely(async () => {
      const { conversation, event } = await this.#opened(id);
      const { task } = await readTask(conversation, event);
      if (task.status?.state === TaskState.TASK_STATE_CANCELED) return task;
      const isQueued = conversation.state.queue.some((queued) => queued.id === event);
      if (isTerminal(task) || isQueued)
        throw new TaskNotCancelableError(
          `expected a task at work, found ${isQueued ? 'one that waits for its turn' : 'one that is over'}: ${id}`,
        );
      // calls that wait for a person hold no run that an interruption could end
      if (conversation.state.executionStatus === 'waiting_for_confirmation')
        await conversation.reject(undefined, 'canceled');
      await conversation.interrupt();
      return (await readTask(conversation, event)).task;
    });
  }

  async *resubscribe({ id }: { readonly id: string }): AsyncGenerator<StreamResponse, void, undefined> {
    const opened = await this.#safely(async () => {
      const { conversation, event } = await this.#opened(id);
      if (isTerminal((await readTask(conversation, event)).task))
        throw new UnsupportedOperationError(`expected a task at work, found one that is over: ${id}`);
      return { conversation, event };
    });
    yield* this.#stream(followTask({ ...opened, run: undefined, stays: true, signal: this.#signal }));
  }

  async listTasks(): Promise<ListTasksResponse> {
    throw new UnsupportedOperationError('expected the id of a task: tasks are not listed');
  }

  async getAuthenticatedExtendedAgentCard(): Promise<never> {
    throw new ExtendedAgentCardNotConfiguredError();
  }

  readonly createTaskPushNotificationConfig: typeof refusePush = refusePush;
  readonly getTaskPushNotificationConfig: typeof refusePush = refusePush;
  readonly listTaskPushNotificationConfigs: typeof refusePush = refusePush;
  readonly deleteTaskPushNotificationConfig: typeof refusePush = refusePush;

  #taken({ message, configuration }: SendMessageRequest): Promise<TakenMessage> {
    // a notification that is never sent would be waited for
    if (configuration?.taskPushNotificationConfig) throw new PushNotificationNotSupportedError();
    return takeMessage(message, this.#request, this.#options);
  }

  async #opened(id: string): Promise<Pick<TakenMessage, 'conversation' | 'event'>> {
    if (id === '') throw new RequestMalformedError('expected the id of a task, found none');
    const { conversation, event } = placeOf(id);
    return { conversation: await this.#options.conversation(conversation, this.#request), event };
  }

  async *#stream(responses: AsyncGenerator<StreamResponse>): AsyncGenerator<StreamResponse, void> {
    try {
      yield* responses;
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

/** Returns a task with as many of its newest messages as are asked for. */
function shortened({ task }: KnownTask, length?: number): Task {
  if (length !== undefined && !(Number.isInteger(length) && length >= 0))
    throw new RequestMalformedError(`historyLength: expected a number of messages, found ${length}`);
  return length === undefined ? task : { ...task, history: length === 0 ? [] : task.history.slice(-length) };
}

async function refusePush(): Promise<never> {
  throw new PushNotificationNotSupportedError();
}
