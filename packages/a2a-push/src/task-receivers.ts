import { TaskPushNotificationConfig, type StreamResponse } from '@a2a-js/sdk';
import { RequestMalformedError, TaskNotFoundError } from '@a2a-js/sdk/errors';
import { checkOptionNames, type OptionNames } from '@conv/core';
import { systemPlatform, type Platform } from '@conv/core/platform';

import { notificationRequest } from './notification-request.ts';
import { ConfigsInMemory, type PushConfigs } from './push-configs.ts';

/** Most configurations of a task. Each has its own reader of the task, and its own requests. */
const MOST_CONFIGS = 10;

/** Most characters of a configuration, as JSON. */
const LONGEST = 8192;

/** Options of {@link TaskReceivers}. */
export interface TaskReceiversOptions {
  /** Keeps what clients asked for. Default: in memory, so that it is lost with the process. */
  readonly configs?: PushConfigs;
  /** Gives ids. Default: the platform of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<TaskReceiversOptions> = { configs: true, platform: true };

/**
 * The receivers that clients asked to have notified: the option `push` of `createA2AHandler` for a host that sends notifications itself, as it reads them with
 * `nextNotification`.
 */
export class TaskReceivers {
  readonly #configs: PushConfigs;
  readonly #platform: Platform;

  constructor(options: TaskReceiversOptions = {}) {
    checkOptionNames('TaskReceivers', options, NAMES);
    const { configs = new ConfigsInMemory(), platform = systemPlatform } = options;
    this.#configs = configs;
    this.#platform = platform;
  }

  /**
   * Rejects `RequestMalformedError` for a URL without http or with a user, for keys that are no headers, for a configuration of more than 8,192
   * characters, and for more than ten of a task.
   */
  async check(config: TaskPushNotificationConfig): Promise<void> {
    const { url, taskId, id } = config;
    const address = URL.parse(url);
    if (!address || !/^https?:$/.test(address.protocol))
      throw new RequestMalformedError(`url: expected an address with http or https, found ${JSON.stringify(url)}`);
    if (`${address.username}${address.password}` !== '')
      throw new RequestMalformedError(
        'url: expected an address without user and password; put them into authentication',
      );
    if (JSON.stringify(TaskPushNotificationConfig.toJSON(config)).length > LONGEST)
      throw new RequestMalformedError(`expected a configuration of at most ${LONGEST} characters, found a longer one`);
    if (!areHeaders(config))
      throw new RequestMalformedError('token, authentication: expected texts that may stand in a header, found others');
    // a task that does not exist yet has none
    const others = taskId === '' ? [] : (await this.#configs.list(taskId)).filter((each) => each.id !== id);
    if (others.length >= MOST_CONFIGS) throw tooMany();
  }

  /** Stores a configuration; one without an id gets one. Resolves with it, without its keys. Rejects as `check` does. */
  async create(given: TaskPushNotificationConfig, request: Request): Promise<TaskPushNotificationConfig> {
    const config = { ...given, id: given.id === '' ? this.#platform.id() : given.id };
    await this.check(config);
    if (!(await this.#configs.set(config, { most: MOST_CONFIGS, request }))) throw tooMany();
    return withoutKeys(config);
  }

  /** Resolves with a configuration, without its keys. Rejects `TaskNotFoundError` if the task has none with this id. */
  async get({ taskId, id }: Pick<TaskPushNotificationConfig, 'taskId' | 'id'>): Promise<TaskPushNotificationConfig> {
    const found = (await this.#configs.list(taskId)).find((config) => config.id === id);
    if (found) return withoutKeys(found);
    throw new TaskNotFoundError(`expected the id of a configuration of the task, found ${JSON.stringify(id)}`);
  }

  /** Resolves with the configurations of a task, without what authenticates this agent at their receivers. */
  async list({ taskId }: Pick<TaskPushNotificationConfig, 'taskId'>): Promise<{
    configs: TaskPushNotificationConfig[];
    nextPageToken: string;
  }> {
    return { configs: (await this.#configs.list(taskId)).map(withoutKeys), nextPageToken: '' };
  }

  /** Removes a configuration; nothing more is sent for it. Idempotent. */
  delete({ taskId, id }: Pick<TaskPushNotificationConfig, 'taskId' | 'id'>): Promise<void> {
    return this.#configs.delete(taskId, id);
  }

  /** Does nothing, because the host sends. */
  async follow(_taskId: string, _updates: (signal: AbortSignal) => AsyncIterable<StreamResponse>): Promise<void> {}

  /** Does nothing. */
  async close(): Promise<void> {}
}

function tooMany(): RequestMalformedError {
  return new RequestMalformedError(
    `expected at most ${MOST_CONFIGS} push notification configurations for a task, found ${MOST_CONFIGS} beside this one; delete one`,
  );
}

function areHeaders(config: TaskPushNotificationConfig): boolean {
  try {
    new Headers(notificationRequest(config, { payload: undefined }).headers);
    return true;
  } catch {
    return false;
  }
}

function withoutKeys(config: TaskPushNotificationConfig): TaskPushNotificationConfig {
  const { authentication } = config;
  return { ...config, token: '', authentication: authentication && { ...authentication, credentials: '' } };
}
