import type { StreamResponse, TaskPushNotificationConfig } from '@a2a-js/sdk';
import { checkOptionNames, type OptionNames } from '@conv/core';
import { Backoff, systemPlatform, timers, type Platform } from '@conv/core/platform';
import { guardedFetch, isAddressRefusedError, type GuardedFetch } from '@conv/egress';

import { notificationRequest } from './notification-request.ts';
import { ConfigsInMemory, type PushConfigs } from './push-configs.ts';
import { TaskReceivers } from './task-receivers.ts';
import { ToldTask } from './told-task.ts';

/** Tries of one notification. */
const TRIES = 6;

/** Longest wait for the answer of a receiver, in milliseconds. */
const TIMEOUT = 10_000;

/** Options of {@link TaskNotifications}. */
export interface TaskNotificationsOptions {
  /** Hosts that notifications reach although they are not public, as `guardedFetch` takes them. Default: none. */
  readonly hosts?: readonly string[];
  /** Keeps what clients asked for. Default: in memory, so that it is lost with the process. */
  readonly configs?: PushConfigs;
  /** Receives the errors of notifications that were not taken. Default: they are left out silently. */
  readonly onError?: (error: unknown) => void;
  /** Gives ids and waits. Default: the platform of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<TaskNotificationsOptions> = { hosts: true, configs: true, onError: true, platform: true };

/**
 * Sends notifications of tasks to the URLs that clients chose: the option `push` of `createA2AHandler`. A notification tells a task when it
 * is followed, when it waits and when it is over, and each call that is done. They come in order. A notification that a receiver refuses, or does
 * not take in six tries, is reported and left out; the next one tells of the task again. After a restart some come twice.
 */
export class TaskNotifications extends TaskReceivers {
  readonly #fetch: GuardedFetch;
  readonly #configs: PushConfigs;
  readonly #platform: Platform;
  readonly #onError: (error: unknown) => void;
  readonly #closed = new AbortController();
  /** The configurations that are followed here. */
  readonly #followed = new Set<string>();

  constructor(options: TaskNotificationsOptions = {}) {
    checkOptionNames('TaskNotifications', options, NAMES);
    const { hosts = [], configs = new ConfigsInMemory(), onError = () => {}, platform = systemPlatform } = options;
    super({ configs, platform });
    this.#fetch = guardedFetch({ hosts });
    this.#configs = configs;
    this.#platform = platform;
    this.#onError = onError;
  }

  /**
   * Begins to send what is not sent here, as after a restart. Resolves when it has begun. Configurations are removed when the updates end.
   * @param updates returns the task as it is now, then its updates
   */
  override async follow(
    taskId: string,
    updates: (signal: AbortSignal) => AsyncIterable<StreamResponse>,
  ): Promise<void> {
    for (const { id } of await this.#configs.list(taskId)) {
      const key = `${taskId} ${id}`;
      if (this.#followed.has(key) || this.#closed.signal.aborted) continue;
      this.#followed.add(key);
      void this.#tell({ taskId, id }, updates(this.#closed.signal))
        .catch((error: unknown) => this.#closed.signal.aborted || this.#onError(error))
        .finally(() => this.#followed.delete(key));
    }
  }

  /** Ends all notifications. The configurations of clients stay stored. Idempotent. */
  override async close(): Promise<void> {
    this.#closed.abort(new Error('the notifications were closed'));
    await this.#fetch.close();
  }

  async #tell(
    { taskId, id }: Pick<TaskPushNotificationConfig, 'taskId' | 'id'>,
    updates: AsyncIterable<StreamResponse>,
  ): Promise<void> {
    const told = new ToldTask();
    for await (const update of updates) {
      const notification = told.take(update);
      if (!notification) continue;
      const config = await this.#stored({ taskId, id });
      if (!config) return;
      await this.#post(config, notification);
    }
    // a conversation that was closed has not ended the task
    if (told.isOver) await this.#configs.delete(taskId, id);
  }

  async #stored({
    taskId,
    id,
  }: Pick<TaskPushNotificationConfig, 'taskId' | 'id'>): Promise<TaskPushNotificationConfig | undefined> {
    return (await this.#configs.list(taskId)).find((config) => config.id === id);
  }

  /** Sends a notification until it is taken, or was tried often enough. */
  async #post(config: TaskPushNotificationConfig, notification: StreamResponse): Promise<void> {
    const delays = new Backoff(this.#platform, { first: 500 });
    const { url, contentType, body, headers: keys } = notificationRequest(config, notification);
    const headers = { 'content-type': contentType, ...keys };
    for (let left = TRIES; ; left--) {
      const failure = await this.#failure(url, { method: 'POST', headers, body });
      if (!failure) return;
      if (left === 1 || !failure.mayPass) return this.#onError(failure.error);
      await delays.wait({ background: true, signal: this.#closed.signal });
    }
  }

  async #failure(
    url: string,
    request: RequestInit,
  ): Promise<{ readonly error: Error; readonly mayPass: boolean } | undefined> {
    const { signal: closed } = this.#closed;
    using signal = timers.deadline(this.#platform, TIMEOUT, { signal: closed });
    try {
      const answer = await this.#fetch(url, { ...request, signal });
      // the status says all, and a body without end must not be read
      await answer.body?.cancel().catch(() => {});
      const { ok, status } = answer;
      const error = new Error(`expected a status from 200 to 299 for a notification, found ${status}`);
      return ok ? undefined : { error, mayPass: status === 408 || status === 429 || status >= 500 };
    } catch (cause) {
      closed.throwIfAborted();
      const error = new Error('expected a receiver of notifications, found none at its address', { cause });
      return { error, mayPass: !isAddressRefusedError(cause) };
    }
  }
}
