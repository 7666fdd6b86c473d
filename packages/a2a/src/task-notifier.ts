import type { ListTaskPushNotificationConfigsResponse, StreamResponse, TaskPushNotificationConfig } from '@a2a-js/sdk';

/** Sends push notifications, or has them sent: `TaskNotifications` and `TaskReceivers` of `@conv/a2a-push`. */
export interface TaskNotifier {
  /** Rejects `RequestMalformedError` for a configuration that is refused. Its task may not exist yet: then it has no `taskId`. */
  check(config: TaskPushNotificationConfig): Promise<void>;
  /** Stores a configuration of a task for the sender of a request. Resolves with it, as clients may read it. Rejects as `check` does. */
  create(config: TaskPushNotificationConfig, request: Request): Promise<TaskPushNotificationConfig>;
  /** Resolves with a configuration. Rejects `TaskNotFoundError` if the task has none with this id. */
  get(name: Pick<TaskPushNotificationConfig, 'taskId' | 'id'>): Promise<TaskPushNotificationConfig>;
  /** Resolves with the configurations of a task. */
  list(task: Pick<TaskPushNotificationConfig, 'taskId'>): Promise<ListTaskPushNotificationConfigsResponse>;
  /** Removes a configuration. Idempotent. */
  delete(name: Pick<TaskPushNotificationConfig, 'taskId' | 'id'>): Promise<void>;
  /**
   * Begins to send to the receivers of a task that are not sent to yet, unless something else sends. Called with each task that a request names.
   * @param updates returns the task as it is now, then its updates until it ends
   */
  follow(taskId: string, updates: (signal: AbortSignal) => AsyncIterable<StreamResponse>): Promise<void>;
}
