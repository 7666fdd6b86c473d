import type { TaskPushNotificationConfig } from '@a2a-js/sdk';

/** Keeps what clients asked to be notified of. */
export interface PushConfigs {
  /** Resolves with the configurations of a task. They hold keys of their receivers. */
  list(taskId: string): Promise<readonly TaskPushNotificationConfig[]>;
  /** Stores a configuration in the place of the one with its task and id. */
  set(config: TaskPushNotificationConfig): Promise<void>;
  /** Removes a configuration. Idempotent. */
  delete(taskId: string, id: string): Promise<void>;
}

/** Configurations that are lost with the process. */
export class ConfigsInMemory implements PushConfigs {
  readonly #configs = new Map<string, TaskPushNotificationConfig>();

  async list(taskId: string): Promise<readonly TaskPushNotificationConfig[]> {
    return [...this.#configs.values()].filter((config) => config.taskId === taskId);
  }

  async set(config: TaskPushNotificationConfig): Promise<void> {
    this.#configs.set(`${config.taskId} ${config.id}`, config);
  }

  async delete(taskId: string, id: string): Promise<void> {
    this.#configs.delete(`${taskId} ${id}`);
  }
}
